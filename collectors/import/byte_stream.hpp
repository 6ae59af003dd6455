// Bytes of a file, decompressed on the way when its first bytes are those of gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ridge::import {

class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// Fills from the front; returns less than asked only at the end. Throws Error bad_input with
    /// the name and the uncompressed byte for a damaged or truncated compressed file.
    virtual std::size_t read(std::span<char> into) = 0;
};

/// A stream whose first bytes can be looked at before they are read.
class PeekedStream final : public ByteStream {
public:
    explicit PeekedStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
    /// The next bytes, at most `wanted`; fewer only at the end. Valid until the next call.
    [[nodiscard]] std::string_view peek(std::size_t wanted);
    std::size_t read(std::span<char> into) override;

private:
    std::unique_ptr<ByteStream> stream_;
    std::string kept_;
};

/// All of these recognise compression by content, one form within another too.
[[nodiscard]] std::unique_ptr<PeekedStream> open_bytes(const std::string& path);
/// The same from a pipe.
[[nodiscard]] std::unique_ptr<PeekedStream> open_standard_input();
/// The same from memory, for tests and fuzzing. `bytes` must outlive the stream.
[[nodiscard]] std::unique_ptr<PeekedStream> bytes_in_memory(std::span<const char> bytes,
                                                            const std::string& name);

}  // namespace ridge::import
