// What a machine gives at a thread count between or beyond those that were probed.

#include <algorithm>
#include <map>

#include "model/machine/checks.hpp"
#include "ridge/machine.hpp"

namespace ridge {
namespace {

/// Rates by thread count.
using Series = std::map<int, double>;

enum class BelowSmallest {
    proportional,  ///< every thread brings its own unit
    constant,      ///< one thread may already reach it: an upper bound
};

std::optional<double> at(const Series& series, int threads, BelowSmallest below) {
    if (series.empty()) return std::nullopt;
    const auto upper = series.lower_bound(threads);
    if (upper == series.end()) return series.rbegin()->second;
    if (upper->first == threads) return upper->second;
    if (upper == series.begin())
        return below == BelowSmallest::constant ? upper->second
                                                : upper->second * threads / upper->first;
    const auto lower = std::prev(upper);
    const double weight = static_cast<double>(threads - lower->first) /
                          static_cast<double>(upper->first - lower->first);
    return lower->second + weight * (upper->second - lower->second);
}

}  // namespace

std::optional<FlopsPerSecond> ceiling(const Machine& machine, Isa isa, bool fma, DataType dtype,
                                      int threads) {
    Series series;
    for (const auto& entry : machine.compute)
        if (entry.isa == isa && entry.fma == fma && entry.dtype == dtype)
            series[entry.threads] = entry.flops_per_s.value;
    const auto rate = at(series, threads, BelowSmallest::proportional);
    if (!rate) return std::nullopt;
    return FlopsPerSecond(*rate);
}

std::optional<FlopsPerSecond> peak(const Machine& machine, DataType dtype, int threads) {
    std::optional<FlopsPerSecond> best;
    for (const auto& entry : machine.compute) {
        if (entry.dtype != dtype) continue;
        const auto rate = ceiling(machine, entry.isa, entry.fma, dtype, threads);
        if (rate && (!best || *rate > *best)) best = rate;
    }
    return best;
}

std::optional<BytesPerSecond> bandwidth(const MemoryLevel& level, AccessKind kind, int threads,
                                        bool non_temporal) {
    Series series;
    for (const auto& entry : level.bandwidths)
        if (entry.kind == kind && entry.non_temporal == non_temporal)
            series[entry.threads] = entry.bytes_per_s.value;
    const bool shared = level.shared_by > 1 || is_main_memory(level);
    const auto rate =
        at(series, threads, shared ? BelowSmallest::constant : BelowSmallest::proportional);
    if (!rate) return std::nullopt;
    return BytesPerSecond(*rate);
}

std::optional<Bytes> usable_capacity(const Machine& machine, const MemoryLevel& level,
                                     int threads) {
    const auto& figure =
        level.effective_capacity_bytes ? level.effective_capacity_bytes : level.capacity_bytes;
    if (!figure) return std::nullopt;
    if (is_main_memory(level)) return Bytes(figure->value);  // installed, whoever uses it
    // The run binds one thread to a core, so an instance that 2 hardware threads of one core share
    // still belongs to one thread of the run.
    const int threads_per_core = std::max(1, machine.threads / std::max(1, machine.cores));
    const int cores_per_instance = std::max(1, level.shared_by / threads_per_core);
    const int present = std::max(1, machine.cores / cores_per_instance);
    const int used =
        std::clamp((threads + cores_per_instance - 1) / cores_per_instance, 1, present);
    return Bytes(figure->value * used);
}

}  // namespace ridge
