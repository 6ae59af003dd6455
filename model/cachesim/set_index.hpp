// From a line to its set. Modulo, or hashed: the upper address bits rotate (or, with a power of two
// of sets, flip) the place within each block of `sets` consecutive lines. Either way every aligned
// block of `sets` lines covers every set once, so a contiguous buffer of the cache's size fits.
//
// The lowest `granule` bits of the index stay untouched by the hash: lines with equal low bits meet
// only each other in every level, which is what group sampling needs.
#pragma once

#include <bit>
#include <cstdint>

namespace ridge::cachesim {

class SetIndex {
public:
    SetIndex(std::uint64_t sets, bool hashed, std::uint64_t granule)
        : sets_(sets),
          mask_(std::has_single_bit(sets) ? sets - 1 : 0),
          shift_(std::countr_zero(sets)),
          plain_(std::has_single_bit(sets) && !hashed),
          hashed_(hashed),
          granule_(granule) {}

    [[nodiscard]] std::uint64_t operator()(std::uint64_t line) const {
        return plain_ ? line & mask_ : general(line);
    }

private:
    [[nodiscard]] std::uint64_t general(std::uint64_t line) const {
        if (!hashed_) return line % sets_;
        if (mask_ || sets_ == 1) return (line ^ mix(line >> shift_) * granule_) & mask_;
        const std::uint64_t rotation = mix(line / sets_) % (sets_ / granule_) * granule_;
        return (line % sets_ + rotation) % sets_;
    }
    /// Fibonacci hashing: the upper half of a product with 2^64 / golden ratio.
    static std::uint64_t mix(std::uint64_t block) { return block * 0x9e3779b97f4a7c15 >> 40; }

    std::uint64_t sets_, mask_;
    int shift_;
    bool plain_, hashed_;
    std::uint64_t granule_;  ///< a power of two that divides the number of sets
};

}  // namespace ridge::cachesim
