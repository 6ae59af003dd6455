// Quad-age LRU as Intel's L2 and L3 use it, in the notation of Abel and Reineke (see policy.hpp):
// two bits of age per way, 3 = oldest. QLRU_H00_M1_R0_U1 is the L2 of Ice Lake clients.
#pragma once

#include <bit>

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

template <int Ways>
class Qlru {
public:
    /// A hit lowers an age of at most 3; after three of them the age stays 0.
    static constexpr int lasting_repeats = 3;

    explicit Qlru(const PolicyParameters& parameters)
        : ways_(parameters.ways), q_(parameters.qlru) {}

    static constexpr int words(int) { return 1; }
    /// Empty locations have age 3.
    void reset(std::uint64_t* state) const { *state = all(3); }

    void hit(std::uint64_t* state, int way) const {
        const int old = age(*state, way);
        set_age(*state, way, old == 3 ? q_.hit_from_3 : old == 2 ? q_.hit_from_2 : 0);
        if (!q_.update_on_miss_only) update(*state, way);
    }

    void fill(std::uint64_t* state, int way) const {
        set_age(*state, way, q_.insert);
        if (!q_.update_on_miss_only) update(*state, way);
    }

    int victim(std::uint64_t* state) const {
        if (q_.update_on_miss_only) update(*state, -1);
        const std::uint64_t oldest = *state & *state >> 1 & low_bits();
        // R0 and R2 are only defined where an age of 3 exists; R1 then takes the leftmost.
        return oldest ? std::countr_zero(oldest) / 2 : 0;
    }

    void drop(std::uint64_t* state, int way) const { set_age(*state, way, 3); }

    std::uint64_t signature(const std::uint64_t* state, int way) const {
        return *state * 67 + static_cast<std::uint64_t>(way);
    }

private:
    [[nodiscard]] int ways() const { return Ways ? Ways : ways_; }
    [[nodiscard]] std::uint64_t low_bits() const {
        constexpr std::uint64_t ones = 0x5555555555555555;
        return ones >> (64 - 2 * ways());
    }
    [[nodiscard]] std::uint64_t all(int a) const {
        return low_bits() * static_cast<std::uint64_t>(a);
    }
    static int age(std::uint64_t state, int way) {
        return static_cast<int>(state >> (2 * way) & 3);
    }
    static void set_age(std::uint64_t& state, int way, int a) {
        state = (state & ~(std::uint64_t{3} << (2 * way))) | static_cast<std::uint64_t>(a)
                                                                 << (2 * way);
    }

    /// Ages the set so that some way has age 3. U0: all by 3 - max. U1: all but the accessed one
    /// by 3 - max of the others. U2, U3: the same by one step only, and only when no way has age 3.
    void update(std::uint64_t& state, int accessed) const {
        const bool spare = (q_.update == 1 || q_.update == 3) && accessed >= 0;
        const std::uint64_t own = spare ? std::uint64_t{3} << (2 * accessed) : 0;
        // U3 looks for an age of 3 in the whole set, U1 among the others.
        const std::uint64_t looked_at = q_.update == 3 ? state : state & ~own;
        if (looked_at & looked_at >> 1 & low_bits()) return;
        int step = 1;
        if (q_.update < 2)
            step = (looked_at >> 1 & low_bits()) ? 1 : (looked_at & low_bits()) ? 2 : 3;
        state += all(step) & ~own;
    }

    int ways_;
    QlruParameters q_;
};

}  // namespace ridge::cachesim
