// Random replacement from a seeded generator (xorshift64*, Vigna 2016): equal seeds, equal runs.
#pragma once

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

template <int Ways>
class Random {
public:
    static constexpr int lasting_repeats = 0;

    explicit Random(const PolicyParameters& parameters)
        : ways_(parameters.ways), x_(parameters.seed * 2685821657736338717u + 1) {}

    static constexpr int words(int) { return 0; }
    void reset(std::uint64_t*) const {}
    void hit(std::uint64_t*, int) const {}
    void fill(std::uint64_t*, int) const {}

    int victim(std::uint64_t*) {
        x_ ^= x_ >> 12;
        x_ ^= x_ << 25;
        x_ ^= x_ >> 27;
        const std::uint64_t high = x_ * 2685821657736338717u >> 32;
        return static_cast<int>(high * static_cast<std::uint64_t>(Ways ? Ways : ways_) >> 32);
    }

    void drop(std::uint64_t*, int) const {}

    std::uint64_t signature(const std::uint64_t*, int) const { return 0; }

private:
    int ways_;
    std::uint64_t x_;
};

}  // namespace ridge::cachesim
