// The caches of a machine file as the simulator needs them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridge/cachesim.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

template <class Enum>
Enum word_of(const std::optional<std::string>& word, Enum fallback,
             std::optional<Enum> (*parse)(std::string_view), const std::string& where,
             const char* expected) {
    if (!word) return fallback;
    const auto value = parse(*word);
    if (!value) throw bad_input(where, expected, "\"" + *word + "\"");
    return *value;
}

/// Ways that a file leaves open: 16, or 8 for the first level, halved until they fit.
int assumed_ways(std::uint64_t capacity, int line_bytes, bool first) {
    int ways = first ? 8 : 16;
    while (ways > 1 && capacity % static_cast<std::uint64_t>(ways * line_bytes) != 0) ways /= 2;
    return ways;
}

CacheSpec cache_of(const Machine& machine, const MemoryLevel& level, bool first,
                   std::vector<std::string>& notes) {
    const std::string where = machine.name + "." + level.name;
    if (!level.capacity_bytes) throw bad_input(where + ".capacity_bytes", "a size", "nothing");
    CacheSpec out;
    out.name = level.name;
    out.capacity_bytes = static_cast<std::uint64_t>(std::llround(level.capacity_bytes->value));
    out.line_bytes = level.line_bytes;
    out.ways = level.ways;
    if (out.ways == 0) {
        out.ways = assumed_ways(out.capacity_bytes, out.line_bytes, first);
        notes.push_back(
            fmt::format("{}: {} ways assumed: none are given, or none that divide its capacity",
                        level.name, out.ways));
    }
    // The file counts hardware threads; the simulated ones have a core each.
    const int per_core = std::max(1, machine.threads / std::max(1, machine.cores));
    out.shared_by = std::max(1, level.shared_by / per_core);

    const CacheBehaviour& b = level.behaviour;
    if (b.policy) out.policy = *b.policy;
    out.inclusion =
        word_of(b.inclusion, out.inclusion, inclusion_from_string, where + ".behaviour.inclusion",
                "non_inclusive, inclusive or exclusive");
    out.write_policy =
        word_of(b.write_policy, out.write_policy, write_policy_from_string,
                where + ".behaviour.write_policy", "write_back, write_through or untracked");
    out.prefetcher = word_of(b.prefetcher, out.prefetcher, prefetcher_from_string,
                             where + ".behaviour.prefetcher", "none, next_line or stream");
    out.hashed = b.hashed.value_or(false);
    out.write_allocate_evasion = b.write_allocate_evasion.value_or(0);
    out.sector_bytes = b.sector_bytes.value_or(0);
    return out;
}

}  // namespace

HierarchySpec hierarchy_of(const Machine& machine, int threads) {
    HierarchySpec spec;
    spec.name = machine.name;
    spec.threads = threads;
    if (machine.levels.size() < 2)
        throw bad_input(machine.name + ".levels", "a cache and memory", "fewer levels");
    for (std::size_t i = 0; i + 1 < machine.levels.size(); ++i)
        spec.levels.push_back(cache_of(machine, machine.levels[i], i == 0, spec.notes));
    spec.memory_name = machine.levels.back().name;
    check(spec);
    return spec;
}

}  // namespace ridge
