#include "collectors/probe/buffer_plan.hpp"

#include <algorithm>
#include <cmath>

#include "ridge/format.hpp"

namespace ridge::probe {
namespace {

constexpr double KiB = 1024, MiB = 1024 * KiB;

/// Level before `level` that these threads have; 0 when there is none.
int level_before(const Topology& topology, int level) {
    int before = 0;
    for (const int candidate : topology.cache_levels())
        if (candidate < level) before = candidate;
    return before;
}

/// Nearest power of two: so that a capacity that comes out a little different in another probe
/// leads to the same buffer.
double round_to_power_of_two(double bytes) {
    return std::exp2(std::round(std::log2(bytes)));
}

}  // namespace

BufferPlan cache_buffer(const Topology& topology, int level, const std::vector<int>& cpus,
                        Bytes effective) {
    const Cache* cache = topology.cache_of(cpus.front(), level);
    double share = share_per_thread(topology, level, cpus).value();
    if (!cache || share == 0) return {Bytes(0), "not every core has this cache"};
    const bool reduced = effective.value() > 0 && effective < cache->size;
    if (reduced) share *= effective / cache->size;

    const int before = level_before(topology, level);
    const double inner = before ? share_per_thread(topology, before, cpus).value() : 0;
    const double usable = cache->inclusive ? share : share + inner;
    double bytes = reduced ? round_to_power_of_two(0.5 * share) : 0.5 * share;
    bytes = std::max(bytes, 1.5 * inner);
    if (bytes > 0.8 * usable)
        return {Bytes(0), "a thread's share of " + format_iec(Bytes(share)) +
                              " does not stand out from the " + format_iec(Bytes(inner)) +
                              " of the level before"};
    return {Bytes(bytes), {}};
}

Bytes memory_buffer(const Topology& topology, const std::vector<int>& cpus) {
    const auto levels = topology.cache_levels();
    if (levels.empty()) return Bytes(256 * MiB / static_cast<double>(cpus.size()));
    const Bytes caches = total_in_use(topology, levels.back(), cpus);
    return Bytes(4 * caches.value() / static_cast<double>(cpus.size()));
}

MemoryPlan plan_memory(const Topology& topology, const std::vector<int>& counts,
                       const std::vector<int>& cpus, Bytes available, Bytes least) {
    MemoryPlan plan;
    plan.dram.resize(counts.size());
    plan.owned.assign(cpus.size(), least);
    for (std::size_t i = counts.size(); i-- > 0;) {
        const auto threads = static_cast<std::size_t>(counts[i]);
        const std::vector<int> used(cpus.begin(), cpus.begin() + counts[i]);
        const Bytes wanted = memory_buffer(topology, used);
        std::vector<Bytes> owned = plan.owned;
        double total = 0;
        for (std::size_t thread = 0; thread < owned.size(); ++thread) {
            if (thread < threads) owned[thread] = std::max(owned[thread], wanted);
            total += owned[thread].value();
        }
        if (available.value() > 0 && total > available.value()) {
            plan.dram[i].reason = "a buffer of 4 x the last-level caches needs " +
                                  format_iec(Bytes(total)) + ", " + format_iec(available) +
                                  " may be used";
            continue;
        }
        plan.dram[i].per_thread = wanted;
        plan.owned = owned;
    }
    return plan;
}

}  // namespace ridge::probe
