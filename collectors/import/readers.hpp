// The readers of trace formats: each turns a stream into runs and throws Error bad_input, naming
// line or byte, after everything before the damage was handed over.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectors/import/byte_stream.hpp"
#include "ridge/trace_file.hpp"

namespace ridge::import {

void read_lackey(ByteStream& bytes, const std::string& name, const TraceOptions& options,
                 RunSink& sink);
void read_csv(ByteStream& bytes, const std::string& name, const TraceOptions& options,
              RunSink& sink);
/// The own form; `sink` null reads the header only.
TraceInfo read_binary(ByteStream& bytes, const std::string& name, RunSink* sink);

/// First bytes of the own form, uncompressed.
inline constexpr std::string_view binary_magic = "ridge-trace 1\n";

/// Quoted, with dots for what a terminal would not show.
[[nodiscard]] std::string printable(std::string_view text);

/// "0x..." in hex; nothing for another text or more than 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_address(std::string_view text);

/// A reader over bytes in memory, for tests and fuzzing.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace_bytes(std::span<const char> bytes,
                                                            const std::string& name,
                                                            const TraceOptions& options);

}  // namespace ridge::import
