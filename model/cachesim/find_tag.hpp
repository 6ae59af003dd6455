// The way of a line among the tags of a set: the innermost operation of the simulator.
//
// Beside its tags a set keeps one byte of each, its fingerprint. All fingerprints of a set are
// compared at once, and only tags whose fingerprint fits are looked at: mostly none for a line that
// is absent, and one for a line that is there, instead of all of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

/// 64-bit words that hold the fingerprints of a set.
[[nodiscard]] constexpr std::size_t fingerprint_words(int ways) {
    return static_cast<std::size_t>(ways + 7) / 8;
}

/// `shift`: bits of a line number that its set already tells. Two bytes above them are folded, so
/// that neither neighbours nor tensors some MiB apart look alike.
[[nodiscard]] RIDGE_INLINE std::uint8_t fingerprint(std::uint64_t line, int shift) {
    const std::uint64_t tag = line >> shift;
    return static_cast<std::uint8_t>(tag ^ tag >> 8);
}

/// One bit for each way whose fingerprint fits.
template <int Ways>
[[nodiscard]] RIDGE_INLINE unsigned candidates(const std::uint64_t* fingerprints,
                                               std::uint8_t wanted) {
    static_assert(Ways <= 16);
#if defined(__SSE2__)
    const auto* at = reinterpret_cast<const __m128i*>(fingerprints);
    const __m128i all = Ways <= 8 ? _mm_loadl_epi64(at) : _mm_loadu_si128(at);
    const __m128i equal = _mm_cmpeq_epi8(all, _mm_set1_epi8(static_cast<char>(wanted)));
    return static_cast<unsigned>(_mm_movemask_epi8(equal)) & ((1u << Ways) - 1);
#else
    std::uint8_t bytes[16];
    std::memcpy(bytes, fingerprints, sizeof(std::uint64_t) * fingerprint_words(Ways));
    unsigned match = 0;
    for (int way = 0; way < Ways; ++way)
        match |= static_cast<unsigned>(bytes[way] == wanted) << way;
    return match;
#endif
}

/// -1 when no tag equals the line. A fingerprint may be that of a line that has left.
template <int Ways>
[[nodiscard]] RIDGE_INLINE int find_tag(const std::uint64_t* tags,
                                        const std::uint64_t* fingerprints, std::uint64_t line,
                                        int shift) {
    for (unsigned match = candidates<Ways>(fingerprints, fingerprint(line, shift)); match != 0;
         match &= match - 1) {
        const int way = std::countr_zero(match);
        if (tags[way] == line) [[likely]]
            return way;
    }
    return -1;
}

}  // namespace ridge::cachesim
