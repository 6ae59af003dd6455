// Bytes of a file, decompressed on the way when its first bytes are those of gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ridge::import {

class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// Fills from the front; returns less than asked only at the end. Throws Error bad_input with
    /// the name and the uncompressed byte for a damaged or truncated compressed file.
    virtual std::size_t read(std::span<char> into) = 0;
};

[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(const std::string& path);
/// The same from a pipe.
[[nodiscard]] std::unique_ptr<ByteStream> open_standard_input();
/// The same from memory, for tests and fuzzing. `bytes` must outlive the stream.
[[nodiscard]] std::unique_ptr<ByteStream> bytes_in_memory(std::span<const char> bytes,
                                                          const std::string& name);

}  // namespace ridge::import
