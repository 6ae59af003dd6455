// The readers of trace formats: each turns a stream into runs and throws Error bad_input, naming
// line or byte, after everything before the damage was handed over.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectors/import/byte_stream.hpp"
#include "ridge/trace_file.hpp"

namespace ridge::import {

/// What a text had, for the case that nothing of it counts.
struct TextCounts {
    std::uint64_t lines = 0;
    std::uint64_t fetches_left_out = 0;
};
TextCounts read_lackey(ByteStream& bytes, const std::string& name, const TraceOptions& options,
                       RunSink& sink);
TextCounts read_csv(ByteStream& bytes, const std::string& name, const TraceOptions& options,
                    RunSink& sink);

/// The own form: the header is read at once, the runs when they are asked for, once. A block's
/// checksum is verified before any of its runs is handed over.
class BinaryReader {
public:
    BinaryReader(std::unique_ptr<ByteStream> bytes, std::string name);
    ~BinaryReader();
    BinaryReader(const BinaryReader&) = delete;
    BinaryReader& operator=(const BinaryReader&) = delete;
    [[nodiscard]] const TraceInfo& info() const;
    void read(RunSink& sink);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// First bytes of the own form, uncompressed; the header's checksum in hex and a line end follow.
inline constexpr std::string_view binary_magic = "ridge-trace 2 ";
inline constexpr std::size_t binary_first_line = binary_magic.size() + 16 + 1;

/// Quoted, with dots for what a terminal would not show.
[[nodiscard]] std::string printable(std::string_view text);

/// "0x..." in hex; nothing for another text or more than 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_address(std::string_view text);

/// A reader over bytes in memory, for tests and fuzzing.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace_bytes(std::span<const char> bytes,
                                                            const std::string& name,
                                                            const TraceOptions& options);

}  // namespace ridge::import
