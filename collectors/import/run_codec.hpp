// How the own trace form stores one run (docs/formats.md, "Trace"). A tag byte, then only what
// differs from the usual:
//
//   bits 0-2  kind
//   bit 3     count and stride follow (absent: 1 and 1)
//   bit 4     repeats follow (absent: 1)
//   bit 5     offset and bytes follow (absent: those of the latest run of this kind)
//   bit 6     thread follows (absent: that of the latest run)
//
// The line follows always, as the difference to the latest run of the same kind. Numbers are
// LEB128, signed ones zigzag.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ridge/trace.hpp"

namespace ridge::import {

/// Head of a block: bytes of its records (4; 0: end of trace) and their checksum (8).
inline constexpr std::size_t block_head = 4 + 8;
inline constexpr std::size_t longest_block = std::size_t{1} << 16;
/// First line and header line together.
inline constexpr std::size_t longest_header = std::size_t{1} << 16;
/// Longest possible record: tag, line, count, stride, repeats, offset, bytes, thread.
inline constexpr std::size_t longest_record = 1 + 10 + 5 + 5 + 3 + 3 + 3 + 2;

/// What both sides remember from one record to the next.
struct CodecState {
    std::array<std::uint64_t, 8> line{};
    std::array<std::uint16_t, 8> offset{}, bytes{};
    std::uint8_t thread = 0;
};

inline std::uint64_t zigzag(std::int64_t value) {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

inline char* put_number(char* at, std::uint64_t value) {
    while (value >= 0x80) {
        *at++ = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<char>(value);
    return at;
}

/// Reads a number from at least 10 readable bytes; null for one that is too long.
inline const char* get_number(const char* at, std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        const auto byte = static_cast<unsigned char>(*at++);
        if (shift == 63 && byte > 1) return nullptr;
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return at;
    }
    return nullptr;
}

/// Appends a run; `at` has room for longest_record.
inline char* encode(char* at, const LineRun& run, CodecState& state) {
    const auto kind = static_cast<std::size_t>(run.kind);
    const bool counted = run.count != 1 || run.stride != 1;
    const bool ranged = run.offset != state.offset[kind] || run.bytes != state.bytes[kind];
    const bool threaded = run.thread != state.thread;
    *at++ = static_cast<char>(kind | (counted ? 8u : 0u) | (run.repeats != 1 ? 16u : 0u) |
                              (ranged ? 32u : 0u) | (threaded ? 64u : 0u));
    at = put_number(at, zigzag(static_cast<std::int64_t>(run.line - state.line[kind])));
    if (counted) {
        at = put_number(at, run.count);
        at = put_number(at, zigzag(run.stride));
    }
    if (run.repeats != 1) at = put_number(at, run.repeats);
    if (ranged) {
        at = put_number(at, run.offset);
        at = put_number(at, run.bytes);
    }
    if (threaded) at = put_number(at, run.thread);
    state.line[kind] = run.line;
    state.offset[kind] = run.offset;
    state.bytes[kind] = run.bytes;
    state.thread = run.thread;
    return at;
}

/// Reads a run from at least longest_record readable bytes. On damage returns null and says in
/// `expected` what should have been there.
const char* decode(const char* at, LineRun& run, CodecState& state, int line_bytes,
                   const char*& expected);

}  // namespace ridge::import
