// Finding the outer period of a stream of runs. A loop nest over tensors repeats the same runs with
// the lines of each tensor moved on by a constant of its own (0 for what stays, such as weights).
// Each run gets a key from its shape, its tensor and the distance to the previous run of the same
// tensor; the keys then repeat exactly, and the shortest period of their sequence is found with the
// failure function of Knuth, Morris and Pratt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/cachesim/region_map.hpp"
#include "ridge/trace.hpp"

namespace ridge::cachesim {

/// Contiguous address ranges that the runs touch, where the stream does not know its tensors:
/// extents of pages with gaps of at least 64 KiB between them.
[[nodiscard]] std::vector<Region> infer_regions(std::span<const LineRun> runs, int line_bytes);

/// Keys of successive runs.
class RunKeys {
public:
    explicit RunKeys(const RegionMap& map) : map_(map), last_(map.size(), 0) {}
    [[nodiscard]] std::uint64_t next(const LineRun& run);

private:
    const RegionMap& map_;
    std::vector<std::uint64_t> last_;
};

struct Period {
    std::size_t first = 0;   ///< run at which the first period starts
    std::size_t length = 0;  ///< runs
    /// Lines by which each region moves on per period.
    std::vector<std::int64_t> shift;
};

/// The period that covers most of the end of `runs` at least 4 times. Multiplies a short one until
/// it has `least_touches`, as long as 64 still fit.
[[nodiscard]] std::optional<Period> find_period(std::span<const LineRun> runs, const RegionMap& map,
                                                double least_touches);

}  // namespace ridge::cachesim
