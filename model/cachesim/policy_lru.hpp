// Least recently used. The order of a set is
//   up to 8 ways   one word as a matrix of bits: in byte i, bit j says that i was touched after j.
//                  A touch of i fills its row and clears its column; the victim's row is empty.
//   up to 16 ways  one word of 4 bits per place, most recent lowest: a touch is some shifts.
//   beyond         one byte of rank per way.
#pragma once

#include <bit>

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

template <int Ways>
class Lru {
public:
    static constexpr int lasting_repeats = 0;

    explicit Lru(const PolicyParameters& parameters) : ways_(parameters.ways) {}

    static constexpr int words(int ways) { return ways <= 16 ? 1 : (ways + 7) / 8; }

    void reset(std::uint64_t* state) const {
        if constexpr (matrix) {
            *state = 0;
            for (int way = Ways - 1; way >= 0; --way) hit(state, way);
            return;
        }
        if (packed()) {
            *state = 0xfedcba9876543210;
            return;
        }
        for (int way = 0; way < ways(); ++way) ranks(state)[way] = static_cast<std::uint8_t>(way);
    }

    RIDGE_INLINE void hit(std::uint64_t* state, int way) const {
        if constexpr (matrix)
            *state = (*state | full_row << (8 * way)) & ~(column << way);
        else if (packed())
            move_to_front(*state, place_of(*state, way), way);
        else
            rank_first(ranks(state), way);
    }

    RIDGE_INLINE void fill(std::uint64_t* state, int way) const { hit(state, way); }

    RIDGE_INLINE int victim(const std::uint64_t* state) const {
        if constexpr (matrix) {
            // Lowest byte that is zero, by the borrow of a subtraction.
            return __builtin_ctzll((*state - column) & ~*state & column << 7) / 8;
        }
        if (packed()) return static_cast<int>(*state >> (4 * (ways() - 1)) & 15);
        int way = 0;
        while (ranks(state)[way] != ways() - 1) ++way;
        return way;
    }

    /// victim() and fill() in one: the last place becomes the first.
    RIDGE_INLINE int replace(std::uint64_t* state) const {
        const int way = victim(state);
        if constexpr (Ways == 16)
            *state = std::rotl(*state, 4);
        else
            fill(state, way);
        return way;
    }

    /// An empty way is found by its absence from the valid mask: its place does not matter.
    void drop(std::uint64_t*, int) const {}

    std::uint64_t signature(const std::uint64_t* state, int way) const {
        if constexpr (matrix)
            return static_cast<std::uint64_t>(std::popcount(*state >> (8 * way) & full_row));
        return packed() ? static_cast<std::uint64_t>(place_of(*state, way)) : ranks(state)[way];
    }

private:
    static constexpr bool matrix = Ways > 0 && Ways <= 8;
    static constexpr std::uint64_t column = 0x0101010101010101;  ///< of way 0
    static constexpr std::uint64_t full_row = matrix ? (std::uint64_t{1} << (Ways % 64)) - 1 : 0;

    [[nodiscard]] int ways() const { return Ways ? Ways : ways_; }
    [[nodiscard]] bool packed() const { return Ways ? Ways <= 16 : ways_ <= 16; }

    static std::uint8_t* ranks(std::uint64_t* state) {
        return reinterpret_cast<std::uint8_t*>(state);
    }
    static const std::uint8_t* ranks(const std::uint64_t* state) {
        return reinterpret_cast<const std::uint8_t*>(state);
    }

    /// Position (times 4) of the nibble that equals `way`: the lowest zero nibble of order ^ way in
    /// every nibble, found by the borrow of a subtraction; the lowest one is always right.
    RIDGE_INLINE static int place_of(std::uint64_t order, int way) {
        constexpr std::uint64_t ones = 0x1111111111111111;
        const std::uint64_t x = order ^ (static_cast<std::uint64_t>(way) * ones);
        // Every way has its place, so the operand is not 0 and needs no test for it.
        return __builtin_ctzll((x - ones) & ~x & (ones << 3)) & ~3;
    }

    RIDGE_INLINE static void move_to_front(std::uint64_t& order, int bit, int way) {
        const std::uint64_t below = (std::uint64_t{1} << bit) - 1;
        const std::uint64_t above = ~below << 4;  // of bit 60: all shifted out, as it must be
        order = (order & above) | (order & below) << 4 | static_cast<std::uint64_t>(way);
    }

    void rank_first(std::uint8_t* rank, int way) const {
        const std::uint8_t old = rank[way];
        for (int w = 0; w < ways(); ++w)
            rank[w] = static_cast<std::uint8_t>(rank[w] + (rank[w] < old));
        rank[way] = 0;
    }

    int ways_;
};

}  // namespace ridge::cachesim
