// From the counts of a hierarchy to the result that every mode shares.
#pragma once

#include "model/cachesim/hierarchy.hpp"
#include "ridge/traffic.hpp"

namespace ridge::cachesim {

/// Counts, bytes and what is dirty now; method and bounds are left to the mode. Finding what is
/// dirty walks through all lines: leave it out where only differences are wanted.
enum class Dirty { count, leave_out };
[[nodiscard]] Traffic result_of(const Hierarchy& hierarchy, const HierarchySpec& spec,
                                const TraceInfo& info, Dirty dirty = Dirty::count);

/// Calls `change(a, b)` for every pair of event numbers of two equally shaped results, `b` in
/// `addend`: how the modes add, scale and subtract results.
template <class Change>
void combine(Traffic& sum, const Traffic& addend, Change change) {
    const auto counts = [&](LevelCounts& a, const LevelCounts& b) {
        constexpr double LevelCounts::*events[] = {
            &LevelCounts::loads,          &LevelCounts::stores,
            &LevelCounts::fetches,        &LevelCounts::load_misses,
            &LevelCounts::store_misses,   &LevelCounts::fetch_misses,
            &LevelCounts::prefetches,     &LevelCounts::prefetch_misses,
            &LevelCounts::write_backs_in, &LevelCounts::forwarded_stores,
            &LevelCounts::fills,          &LevelCounts::evictions,
            &LevelCounts::write_backs,    &LevelCounts::invalidations,
            &LevelCounts::evaded,         &LevelCounts::read_bytes,
            &LevelCounts::written_bytes,  &LevelCounts::dirty_bytes};
        for (auto event : events) change(a.*event, b.*event);
    };
    for (std::size_t i = 0; i < sum.levels.size(); ++i) {
        counts(sum.levels[i].counts, addend.levels[i].counts);
        for (std::size_t r = 0; r < sum.levels[i].regions.size(); ++r) {
            change(sum.levels[i].regions[r].read_bytes, addend.levels[i].regions[r].read_bytes);
            change(sum.levels[i].regions[r].written_bytes,
                   addend.levels[i].regions[r].written_bytes);
        }
    }
    change(sum.memory.read_bytes, addend.memory.read_bytes);
    change(sum.memory.written_bytes, addend.memory.written_bytes);
    change(sum.memory.non_temporal_bytes, addend.memory.non_temporal_bytes);
    change(sum.memory.partial_line_bytes, addend.memory.partial_line_bytes);
    change(sum.accesses, addend.accesses);
    change(sum.touches, addend.touches);
}

}  // namespace ridge::cachesim
