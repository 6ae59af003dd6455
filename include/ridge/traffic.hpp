// Bytes between adjacent memory levels, with the method they were found by and how far they can be
// trusted: what the cache simulator and the analytic model answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/measurement.hpp"
#include "ridge/units.hpp"

namespace ridge {

/// exact: every touch simulated. sampled: random groups of lines, with a confidence interval.
/// periodic: simulated until the outer period repeats, the rest follows. analytic: footprint
/// arithmetic of the loop nest.
enum class TrafficMethod { exact, sampled, periodic, analytic };
[[nodiscard]] std::string_view to_string(TrafficMethod method);
[[nodiscard]] std::optional<TrafficMethod> traffic_method_from_string(std::string_view word);

/// Events at one level, all instances together. At the first level an access of the program counts
/// once in each line that it touches, a modify as a load and a store; below, each line asked for is
/// an access. A miss ratio is misses() / accesses() everywhere. Estimates are not whole numbers.
struct LevelCounts {
    double loads = 0, stores = 0, fetches = 0;  ///< demand accesses
    double load_misses = 0, store_misses = 0, fetch_misses = 0;
    double prefetches = 0, prefetch_misses = 0;  ///< hints and hardware prefetches
    double write_backs_in = 0;                   ///< dirty lines and victims from the level above
    double forwarded_stores = 0;  ///< stores passed down by write-through or no-allocate
    double fills = 0;             ///< lines (sectored: sector groups) read from below
    double evictions = 0;         ///< lines displaced by another one
    double write_backs = 0;       ///< dirty lines sent down
    double invalidations = 0;     ///< lines dropped for inclusion or by a non-temporal store
    double evaded = 0;            ///< full-line store misses that were not read from below
    double read_bytes = 0;        ///< from the next level into this one
    double written_bytes = 0;     ///< from this level to the next one
    double dirty_bytes = 0;       ///< still dirty here at the end

    [[nodiscard]] double accesses() const { return loads + stores + fetches; }
    [[nodiscard]] double misses() const { return load_misses + store_misses + fetch_misses; }
    [[nodiscard]] double hits() const { return accesses() - misses(); }
};

/// Bytes of one tensor across the boundary below a level.
struct RegionTraffic {
    std::string region;  ///< "other" for addresses outside all regions
    double read_bytes = 0, written_bytes = 0;
};

/// Lower and upper bound of a number.
struct Band {
    double low = 0, high = 0;
};

/// Traffic between a level and the next one.
struct LevelTraffic {
    std::string level;       ///< "L1", "I1"...
    std::string next_level;  ///< "L2"..., the last one is memory
    LevelCounts counts;
    std::vector<RegionTraffic> regions;  ///< empty when no regions are known
    /// Of read_bytes and written_bytes: confidence interval (sampled), tolerance (periodic), or
    /// the effect of the hardware prefetcher. Absent where the number is exact.
    std::optional<Band> read_bound, written_bound;
};

/// Memory as seen from below: the last level of the hierarchy.
struct MemoryTraffic {
    std::string name = "DRAM";
    double read_bytes = 0, written_bytes = 0;
    double non_temporal_bytes = 0;  ///< part of written_bytes: full lines past the caches
    double partial_line_bytes = 0;  ///< part of written_bytes: lines that had to be read first
};

struct Traffic {
    TrafficMethod method = TrafficMethod::exact;
    CacheState protocol = CacheState::cold;
    std::string origin;   ///< of the stream
    std::string machine;  ///< name of the hierarchy
    int threads = 1;
    double accesses = 0;               ///< of the program: repeats included
    double touches = 0;                ///< line touches simulated or represented
    std::vector<LevelTraffic> levels;  ///< nearest first; instruction cache first when there is one
    MemoryTraffic memory;
    std::string bound;               ///< one line: what the bounds of the levels mean
    std::vector<std::string> notes;  ///< assumptions, fallbacks
    double simulated_share = 1;      ///< of the touches that were really simulated
};

}  // namespace ridge
