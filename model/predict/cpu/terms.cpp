#include "model/predict/cpu/terms.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::cpu {
namespace {

double sum(const ByWidth& work, const ByWidth& rate) {
    double seconds = 0;
    for (std::size_t i = 0; i < work.size(); ++i)
        if (work[i] > 0) seconds += work[i] / rate[i];
    return seconds;
}

double store_time(const PassDemand& d, const Capability& m) {
    const double lines = d.non_temporal.value() / 64;
    return std::max((d.stores.bytes + d.non_temporal.value()) / m.store_bytes_per_s,
                    (d.stores.accesses + lines) / m.stores_per_s);
}

double load_store(const PassDemand& d, const Capability& m) {
    const double slots =
        std::max(d.loads.accesses, d.loads.bytes / m.load_slot_bytes) + d.broadcasts;
    return std::max(slots / m.loads_per_s, store_time(d, m));
}

/// Bytes across boundary i. What was not used just before comes from farther away than a warm
/// execution finds it: each distinct line passes every boundary, in_step those of the private
/// caches that cannot hold what was touched since.
LevelDemand crossing(const PassDemand& d, std::size_t i, const Capability& m, CacheState state) {
    LevelDemand level;
    if (i < d.levels.size()) level = d.levels[i];
    const bool far = state == CacheState::cold ||
                     (state == CacheState::in_step &&
                      (i == 0 || d.footprint.value() > m.levels[i - 1].capacity_bytes / m.threads));
    if (!far) return level;
    level.read = std::max(level.read, d.distinct_read + d.distinct_written);
    level.written = std::max(level.written, d.distinct_written);
    return level;
}

/// A chain of n multiply-adds takes n latencies; the units could have done n / share in
/// n / share / rate.
double chain_stretch(const PassDemand& d, const Capability& m) {
    return std::max(1.0, d.chained_share * m.fma_latency_s * m.fma_per_s.back());
}

}  // namespace

std::string_view to_string(Resource resource) {
    constexpr std::array<std::string_view, resources> names{"FMA",
                                                            "vector arithmetic",
                                                            "load and store",
                                                            "issue",
                                                            "division",
                                                            "stores",
                                                            "L2",
                                                            "L2 write-back",
                                                            "L3",
                                                            "L3 write-back",
                                                            "DRAM",
                                                            "DRAM write",
                                                            "DRAM non-temporal",
                                                            "calls",
                                                            "SSE transitions",
                                                            "overhead"};
    return names[static_cast<std::size_t>(resource)];
}

double missing_share(double ratio, double steepness) {
    if (ratio <= 1) return 0;
    return 1 - std::pow(ratio, -steepness);
}

Terms terms_of(const PassDemand& d, const Capability& m, CacheState state) {
    Terms t;
    const auto at = [&](Resource r) -> double& { return t.time[static_cast<std::size_t>(r)]; };
    const double share = d.busiest_share;
    at(Resource::fma) = share * sum(d.fma, m.fma_per_s) * chain_stretch(d, m);
    at(Resource::arithmetic) =
        share * (sum(d.fma, m.other_per_s) + sum(d.other_arithmetic, m.other_per_s));
    at(Resource::load_store) = share * load_store(d, m);
    at(Resource::stores) = share * store_time(d, m);
    at(Resource::issue) = share * d.instructions / m.instructions_per_s;
    // A 512-bit division takes as long as some 16 multiply-adds on the cores of the last decade
    // (Fog's tables: 10 to 24 cycles); the calibration corrects it.
    constexpr double division_fmas = 16;
    at(Resource::division) = share * d.divisions * division_fmas / m.fma_per_s.back();

    const std::size_t caches = m.levels.size() - 1;  // the last one is memory
    LevelDemand last;
    for (std::size_t i = 0; i < caches; ++i) {
        last = crossing(d, i, m, state);
        // Machines with more than three cache levels add the middle ones to the second.
        const bool second = i == 0 && i + 1 < caches;
        at(second ? Resource::l2_read : Resource::l3_read) +=
            share * last.read.value() / m.levels[i].read_bytes_per_s;
        at(second ? Resource::l2_write : Resource::l3_write) +=
            share * last.written.value() / m.levels[i].write_bytes_per_s;
    }
    const LevelCapability& memory = m.levels.back();
    const double into_last_read = last.read.value(), into_last_written = last.written.value();
    // A store that finds its line missing reads it first.
    const double read =
        std::min(into_last_read, d.distinct_read.value() + d.distinct_written.value());
    const double written = std::min(into_last_written, d.distinct_written.value());
    t.distinct_read_s = share * read / memory.read_bytes_per_s;
    t.repeated_read_s = share * (into_last_read - read) / memory.read_bytes_per_s;
    t.distinct_written_s = share * written / memory.write_bytes_per_s;
    t.repeated_written_s = share * (into_last_written - written) / memory.write_bytes_per_s;
    if (d.memory) {
        t.known_read_s = share * d.memory->read.value() / memory.read_bytes_per_s;
        t.known_written_s = share * d.memory->written.value() / memory.write_bytes_per_s;
        t.distinct_read_s = t.repeated_read_s = t.distinct_written_s = t.repeated_written_s = 0;
    }
    at(Resource::non_temporal) = share * d.non_temporal.value() / memory.non_temporal_bytes_per_s;
    const double capacity = caches > 0 ? m.levels[caches - 1].capacity_bytes : 0;
    t.footprint_over_capacity = capacity > 0 ? d.footprint.value() / capacity : 1e9;
    t.cold = state == CacheState::cold;
    at(Resource::calls) = share * d.calls;
    at(Resource::transitions) = share * d.sse_transitions * m.transition_s;
    at(Resource::fixed) = m.call_s * d.library_calls;
    return t;
}

}  // namespace ridge::cpu
