// Which tensor a line belongs to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ridge/trace.hpp"

namespace ridge::cachesim {

struct RegionBytes {
    std::uint64_t read = 0, written = 0;
};

/// Line to index of its region; the last index stands for lines outside all regions. A line that
/// two regions share counts for the first.
class RegionMap {
public:
    RegionMap() = default;
    RegionMap(const std::vector<Region>& regions, int line_bytes);

    [[nodiscard]] bool empty() const { return spans_.empty(); }
    /// Regions and the "other" one.
    [[nodiscard]] std::size_t size() const { return spans_.size() + 1; }
    [[nodiscard]] std::size_t find(std::uint64_t line) const {
        std::size_t latest = spans_.size();
        return find(line, latest);
    }
    /// The same, at once when the line lies where the one before it did; `latest` remembers that.
    [[nodiscard]] std::size_t find(std::uint64_t line, std::size_t& latest) const {
        const bool here = latest < spans_.size() && line >= spans_[latest].first &&
                          line <= spans_[latest].last &&
                          (latest + 1 == spans_.size() || line < spans_[latest + 1].first);
        if (here) return spans_[latest].index;
        const auto after = std::upper_bound(
            spans_.begin(), spans_.end(), line,
            [](std::uint64_t wanted, const Span& span) { return wanted < span.first; });
        if (after == spans_.begin() || line > (after - 1)->last) return spans_.size();
        latest = static_cast<std::size_t>(after - 1 - spans_.begin());
        return spans_[latest].index;
    }

private:
    struct Span {
        std::uint64_t first, last;  ///< lines, inclusive
        std::size_t index;          ///< in the caller's order
    };
    std::vector<Span> spans_;  ///< sorted by first line
};

}  // namespace ridge::cachesim
