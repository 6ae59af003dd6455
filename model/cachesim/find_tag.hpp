// The way of a line among the tags of a set: the innermost operation of the simulator.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

#if defined(__SSE2__)

/// 16 bits for 8 tags, two each: set when the lower and the upper half of a tag are those of the
/// line. (64-bit comparison came with SSE4.1, which is not everywhere.)
RIDGE_INLINE unsigned halves_of_8(const std::uint64_t* tags, __m128i line) {
    const auto pair = [&](int first) {
        const __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags + first));
        return _mm_cmpeq_epi32(two, line);
    };
    const __m128i low = _mm_packs_epi32(pair(0), pair(2)), high = _mm_packs_epi32(pair(4), pair(6));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

#endif

/// -1 when no tag equals the line. `Ways` tags are compared without branches; tags are distinct.
template <int Ways>
[[nodiscard]] RIDGE_INLINE int find_tag(const std::uint64_t* tags, std::uint64_t line) {
    static_assert(Ways <= 32);
#if defined(__SSE2__)
    if constexpr (Ways % 8 == 0) {
        const __m128i wanted = _mm_set1_epi64x(static_cast<long long>(line));
        std::uint64_t halves = 0;
        for (int first = 0; first < Ways; first += 8)
            halves |= std::uint64_t{halves_of_8(tags + first, wanted)} << (2 * first);
        halves &= halves >> 1 & 0x5555555555555555;
        return halves ? std::countr_zero(halves) / 2 : -1;
    }
#endif
    unsigned match = 0;
    for (int way = 0; way < Ways; ++way) match |= static_cast<unsigned>(tags[way] == line) << way;
    return match ? std::countr_zero(match) : -1;
}

}  // namespace ridge::cachesim
