#include "model/cachesim/result.hpp"

#include <fmt/format.h>

namespace ridge::cachesim {
namespace {

LevelCounts rounded(const Counts& c, std::uint64_t dirty_bytes) {
    const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
    LevelCounts out;
    out.loads = d(c.loads);
    out.stores = d(c.stores);
    out.fetches = d(c.fetches);
    out.load_misses = d(c.load_misses);
    out.store_misses = d(c.store_misses);
    out.fetch_misses = d(c.fetch_misses);
    out.prefetches = d(c.prefetches);
    out.prefetch_misses = d(c.prefetch_misses);
    out.write_backs_in = d(c.write_backs_in);
    out.forwarded_stores = d(c.forwarded_stores);
    out.fills = d(c.fills);
    out.evictions = d(c.evictions);
    out.write_backs = d(c.write_backs);
    out.invalidations = d(c.invalidations);
    out.evaded = d(c.evaded);
    out.read_bytes = d(c.read_bytes);
    out.written_bytes = d(c.written_bytes);
    out.dirty_bytes = d(dirty_bytes);
    return out;
}

LevelTraffic level_traffic(const Hierarchy& hierarchy, const HierarchySpec& spec, int level,
                           const TraceInfo& info, Dirty dirty) {
    LevelTraffic out;
    out.level =
        level < 0 ? spec.instruction->name : spec.levels[static_cast<std::size_t>(level)].name;
    const auto next = static_cast<std::size_t>(std::max(level, 0)) + 1;
    out.next_level = next < spec.levels.size() ? spec.levels[next].name : spec.memory_name;
    out.counts =
        rounded(hierarchy.counts(level), dirty == Dirty::count ? hierarchy.dirty_bytes(level) : 0);
    const auto regions = hierarchy.region_bytes(level);
    for (std::size_t i = 0; i < regions.size(); ++i)
        out.regions.push_back({i < info.regions.size() ? info.regions[i].name : "other",
                               static_cast<double>(regions[i].read),
                               static_cast<double>(regions[i].written)});
    return out;
}

}  // namespace

Traffic result_of(const Hierarchy& hierarchy, const HierarchySpec& spec, const TraceInfo& info,
                  Dirty dirty) {
    Traffic out;
    out.origin = info.origin;
    out.machine = spec.name;
    out.threads = spec.threads;
    out.accesses = static_cast<double>(hierarchy.accesses);
    out.touches = static_cast<double>(hierarchy.touches);
    out.notes = spec.notes;
    if (hierarchy.has_instruction_cache())
        out.levels.push_back(level_traffic(hierarchy, spec, -1, info, dirty));
    for (int level = 0; level < hierarchy.levels(); ++level)
        out.levels.push_back(level_traffic(hierarchy, spec, level, info, dirty));
    const Memory& memory = hierarchy.memory();
    out.memory = {spec.memory_name, static_cast<double>(memory.read_bytes),
                  static_cast<double>(memory.written_bytes),
                  static_cast<double>(memory.non_temporal_bytes),
                  static_cast<double>(memory.partial_line_bytes)};
    if (hierarchy.ignored_fetches > 0)
        out.notes.push_back(fmt::format(
            "{} instruction fetches ignored: the machine has no instruction cache described",
            hierarchy.ignored_fetches));
    return out;
}

}  // namespace ridge::cachesim
