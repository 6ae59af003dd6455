// bfloat16 in memory: the upper half of an IEEE single.
#pragma once

#include <bit>
#include <cstdint>

namespace ridge::step {

struct Bf16 {
    std::uint16_t bits = 0;
};

[[nodiscard]] inline float to_float(float x) {
    return x;
}
[[nodiscard]] inline float to_float(Bf16 x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

template <class T>
[[nodiscard]] inline T from_float(float x) {
    return x;
}
/// Round to nearest even; NaN is not expected here and may become infinite.
template <>
[[nodiscard]] inline Bf16 from_float<Bf16>(float x) {
    const auto u = std::bit_cast<std::uint32_t>(x);
    return {static_cast<std::uint16_t>((u + 0x7FFFU + ((u >> 16) & 1U)) >> 16)};
}

}  // namespace ridge::step
