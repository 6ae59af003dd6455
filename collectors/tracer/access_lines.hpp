// From the accesses of a straight piece of code to runs of cache lines.
//
// A cache with LRU replacement sees of a piece only, set by set, the order in which its lines are
// first touched and the order in which they are last touched: as long as the lines of a set fit
// side by side, everything in between hits. Lines of different sets have no order at all. So each
// line is touched once, and a second time where a set would otherwise remember another order; in
// passes: the first touch of every set, the second of every set, ... Each pass is sorted, which
// makes few and long runs.
//
// Sets are those of 64: lines that meet in a cache of 64, 128, 192... sets meet here too, and an
// order that is kept here is kept there and in every level behind.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ridge/trace.hpp"

namespace ridge::tracer {

struct Access {
    std::uint8_t base = 0;  ///< which of the piece's bases
    TouchKind kind = TouchKind::load;
    std::uint16_t bytes = 0;
    std::int64_t offset = 0;
};

/// Where a base lies: `offset` bytes behind the line that `leader`'s value falls into.
struct Anchor {
    std::uint8_t leader = 0;
    std::int64_t offset = 0;
};

/// A run whose line is relative to the line of a leader's value.
struct RunTemplate {
    LineRun run;
    std::uint8_t leader = 0;
};

class AccessLines {
public:
    static constexpr int sets = 64;
    /// First-level caches of x86 have 8 or more ways.
    static constexpr int safe_ways = 8;

    AccessLines(std::span<const Access> accesses, std::span<const Anchor> anchors);

    /// Appends the runs for leaders whose lines lie in these sets. False when there are none: more
    /// lines share a set than fit side by side, or some go around the caches in parts or more than
    /// once; then every access has to be told.
    [[nodiscard]] bool runs(std::span<const std::uint8_t> set_of_leader,
                            std::vector<RunTemplate>& out) const;

private:
    /// A line with all its touches of one kind.
    struct Line {
        std::uint8_t leader;
        TouchKind kind;
        bool known;  ///< an entry before this one is the same line, touched in another way
        std::int64_t line;
        std::int64_t first_byte, last_byte;  ///< union, within the line
        std::uint32_t touches;
        std::uint32_t first_position, last_position;
    };
    /// A first touch, or a last one that is not the first.
    struct Touch {
        std::uint32_t line;
        std::uint32_t position;
        bool last;
    };
    /// When each of `touches_` takes place for one placement of the leaders.
    struct Plan {
        std::vector<std::uint8_t> pass;
        std::vector<std::uint32_t> repeats;  ///< 0: this last touch need not be told
        int passes = 0;
    };
    void collect(std::span<const Access> accesses, std::span<const Anchor> anchors);
    void sort();
    [[nodiscard]] bool plan(std::span<const std::uint8_t> set_of_leader, Plan& plan) const;
    [[nodiscard]] bool choose(std::span<const std::uint8_t> set_of_leader,
                              std::vector<bool>& again) const;
    [[nodiscard]] std::size_t set_of(const Line& line,
                                     std::span<const std::uint8_t> set_of_leader) const;

    std::vector<Line> lines_;              ///< in order of first touches
    std::vector<std::uint32_t> by_last_;   ///< lines in order of last touches
    std::vector<Touch> touches_;           ///< in the program's order
    std::vector<std::uint32_t> by_place_;  ///< touches, those that may join beside each other
    bool around_in_parts_ = false;
};

}  // namespace ridge::tracer
