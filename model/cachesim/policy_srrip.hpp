// Static re-reference interval prediction with hit priority, 2 bits (Jaleel, Theobald, Steely and
// Emer, "High performance cache replacement using re-reference interval prediction", ISCA 2010):
// insert with 2 ("long"), a hit makes it 0 ("near-immediate"), evict the leftmost 3 ("distant"),
// ageing all until there is one.
#pragma once

#include <bit>

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

template <int Ways>
class Srrip {
public:
    static constexpr int lasting_repeats = 1;

    explicit Srrip(const PolicyParameters& parameters) : ways_(parameters.ways) {}

    static constexpr int words(int) { return 1; }
    void reset(std::uint64_t* state) const { *state = 3 * low_bits(); }
    void hit(std::uint64_t* state, int way) const { set(*state, way, 0); }
    void fill(std::uint64_t* state, int way) const { set(*state, way, 2); }

    int victim(std::uint64_t* state) const {
        for (;;) {
            const std::uint64_t distant = *state & *state >> 1 & low_bits();
            if (distant) return std::countr_zero(distant) / 2;
            *state += low_bits();  // no way has 3: no carry between neighbours
        }
    }

    void drop(std::uint64_t* state, int way) const { set(*state, way, 3); }

    std::uint64_t signature(const std::uint64_t* state, int way) const {
        return *state * 67 + static_cast<std::uint64_t>(way);
    }

private:
    [[nodiscard]] std::uint64_t low_bits() const {
        constexpr std::uint64_t ones = 0x5555555555555555;
        return ones >> (64 - 2 * (Ways ? Ways : ways_));
    }
    static void set(std::uint64_t& state, int way, std::uint64_t value) {
        state = (state & ~(std::uint64_t{3} << (2 * way))) | value << (2 * way);
    }
    int ways_;
};

}  // namespace ridge::cachesim
