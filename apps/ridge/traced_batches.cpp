#include "apps/ridge/traced_batches.hpp"

#include <algorithm>

namespace ridge::app {

PassDemand extrapolate(const PassDemand& small, const PassDemand& large, std::int64_t batch) {
    const double steps =
        static_cast<double>(batch - large_batch) / static_cast<double>(large_batch - small_batch);
    const auto line = [&](double at_small, double at_large) {
        return std::max(0.0, at_large + steps * (at_large - at_small));
    };
    const auto accesses = [&](const AccessCounts& a, const AccessCounts& b) {
        return AccessCounts{line(a.accesses, b.accesses), line(a.bytes, b.bytes)};
    };
    const auto bytes = [&](Bytes a, Bytes b) { return Bytes(line(a.value(), b.value())); };
    PassDemand d = large;
    d.executed = Flops(line(small.executed.value(), large.executed.value()));
    for (std::size_t i = 0; i < d.fma.size(); ++i) {
        d.fma[i] = line(small.fma[i], large.fma[i]);
        d.other_arithmetic[i] = line(small.other_arithmetic[i], large.other_arithmetic[i]);
    }
    d.divisions = line(small.divisions, large.divisions);
    d.loads = accesses(small.loads, large.loads);
    d.broadcasts = line(small.broadcasts, large.broadcasts);
    d.stores = accesses(small.stores, large.stores);
    d.non_temporal = bytes(small.non_temporal, large.non_temporal);
    d.instructions = line(small.instructions, large.instructions);
    d.calls = line(small.calls, large.calls);
    d.sse_transitions = line(small.sse_transitions, large.sse_transitions);
    for (std::size_t i = 0; i < d.levels.size() && i < small.levels.size(); ++i) {
        d.levels[i].read = bytes(small.levels[i].read, large.levels[i].read);
        d.levels[i].written = bytes(small.levels[i].written, large.levels[i].written);
    }
    return d;
}

}  // namespace ridge::app
