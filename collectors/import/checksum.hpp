// The checksum of the own trace form: 64 bits, four lanes of 8-byte words, as fast as memory.
//
//   lane[i] = i + 1;  for each 32 bytes, word w[i] little-endian, the last ones filled with zeros:
//   lane[i] = rotate_left((lane[i] xor w[i]) m, 29),  m = 0x9e3779b97f4a7c15
//   sum = bytes;  for each lane: sum = rotate_left((sum xor lane[i]) m, 29);  sum xor sum >> 32
//
// Each step is a bijection of the lane, so one changed word always changes the sum.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ridge::import {

[[nodiscard]] inline std::uint64_t checksum(std::string_view bytes) {
    static_assert(std::endian::native == std::endian::little);
    const auto mix = [](std::uint64_t lane, std::uint64_t word) {
        return std::rotl((lane ^ word) * 0x9e3779b97f4a7c15, 29);
    };
    constexpr std::size_t stripe = 32;
    std::array<std::uint64_t, 4> lanes{1, 2, 3, 4}, words{};
    const auto take = [&] {
        for (std::size_t i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
    };
    std::size_t at = 0;
    for (; at + stripe <= bytes.size(); at += stripe) {
        std::memcpy(words.data(), bytes.data() + at, stripe);
        take();
    }
    if (at < bytes.size()) {
        words = {};
        std::memcpy(words.data(), bytes.data() + at, bytes.size() - at);
        take();
    }
    std::uint64_t sum = bytes.size();
    for (const std::uint64_t lane : lanes) sum = mix(sum, lane);
    return sum ^ sum >> 32;
}

}  // namespace ridge::import
