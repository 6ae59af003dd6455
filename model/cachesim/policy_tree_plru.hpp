// Tree pseudo-LRU: a binary tree of bits over a power of two of ways; each bit points to the half
// that was touched longer ago. A touch turns the bits on its path away from itself, the victim is
// where the bits lead. Bit n of the word is node n of the heap order (root 1).
#pragma once

#include <array>
#include <cstdint>

#include "model/cachesim/policy.hpp"

namespace ridge::cachesim {

template <int Ways>
class TreePlru {
public:
    static constexpr int lasting_repeats = 0;

    explicit TreePlru(const PolicyParameters& parameters) : ways_(parameters.ways) {}

    static constexpr int words(int) { return 1; }
    void reset(std::uint64_t* state) const { *state = 0; }

    RIDGE_INLINE void hit(std::uint64_t* state, int way) const {
        const Path path = Ways ? paths[static_cast<std::size_t>(way)] : path_of(way, ways_);
        *state = (*state & ~path.nodes) | path.away;
    }

    void fill(std::uint64_t* state, int way) const { hit(state, way); }

    int victim(const std::uint64_t* state) const {
        unsigned node = 1;
        while (node < static_cast<unsigned>(ways()))
            node = 2 * node + static_cast<unsigned>(*state >> node & 1);
        return static_cast<int>(node) - ways();
    }

    void drop(std::uint64_t*, int) const {}

    std::uint64_t signature(const std::uint64_t* state, int way) const {
        return *state * 64 + static_cast<std::uint64_t>(way);
    }

private:
    /// Bits on the way from the root to a leaf, and which of them then point away from it.
    struct Path {
        std::uint64_t nodes = 0, away = 0;
    };
    static constexpr Path path_of(int way, int ways) {
        Path path;
        // Leaves are nodes ways .. 2 ways - 1. A left child is even: its parent then says
        // "right next" (1).
        for (auto node = static_cast<unsigned>(way + ways); node > 1; node >>= 1) {
            const std::uint64_t bit = std::uint64_t{1} << (node >> 1);
            path.nodes |= bit;
            if (node % 2 == 0) path.away |= bit;
        }
        return path;
    }
    static constexpr std::array<Path, Ways> paths = [] {
        std::array<Path, Ways> all{};
        for (int way = 0; way < Ways; ++way)
            all[static_cast<std::size_t>(way)] = path_of(way, Ways);
        return all;
    }();

    [[nodiscard]] int ways() const { return Ways ? Ways : ways_; }
    int ways_;
};

}  // namespace ridge::cachesim
