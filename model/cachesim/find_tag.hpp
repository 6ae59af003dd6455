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

/// A lane of ones for each half of two tags that equals that half of the line. (64-bit comparison
/// came with SSE4.1, which is not everywhere.)
RIDGE_INLINE __m128i equal_halves(const std::uint64_t* tags, __m128i line) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(tags)), line);
}

/// Two bits for each of up to 8 tags: the lower and the upper half are those of the line.
template <int Tags>
RIDGE_INLINE unsigned halves_of(const std::uint64_t* tags, __m128i line) {
    static_assert(Tags == 4 || Tags == 8);
    const __m128i low = _mm_packs_epi32(equal_halves(tags, line), equal_halves(tags + 2, line));
    const __m128i high =
        Tags == 8 ? _mm_packs_epi32(equal_halves(tags + 4, line), equal_halves(tags + 6, line))
                  : _mm_setzero_si128();
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

#endif

/// -1 when no tag equals the line. `Ways` tags are compared without branches; tags are distinct.
template <int Ways>
[[nodiscard]] RIDGE_INLINE int find_tag(const std::uint64_t* tags, std::uint64_t line) {
    static_assert(Ways <= 32);
#if defined(__SSE2__)
    if constexpr (Ways % 4 == 0) {
        const __m128i wanted = _mm_set1_epi64x(static_cast<long long>(line));
        std::uint64_t halves = 0;
        for (int first = 0; first + 8 <= Ways; first += 8)
            halves |= std::uint64_t{halves_of<8>(tags + first, wanted)} << (2 * first);
        constexpr int rest = Ways / 8 * 8;
        if constexpr (rest < Ways)
            halves |= std::uint64_t{halves_of<4>(tags + rest, wanted)} << (2 * rest);
        halves &= halves >> 1 & 0x5555555555555555;
        return halves ? std::countr_zero(halves) / 2 : -1;
    }
#endif
    unsigned match = 0;
    for (int way = 0; way < Ways; ++way) match |= static_cast<unsigned>(tags[way] == line) << way;
    return match ? std::countr_zero(match) : -1;
}

}  // namespace ridge::cachesim
