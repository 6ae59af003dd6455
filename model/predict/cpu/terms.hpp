// The terms of a pass: how long each resource alone would be busy at the machine file's rates, for
// the busiest thread. Numbers only: a fit evaluates them millions of times.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "model/predict/cpu/capability.hpp"
#include "ridge/demand.hpp"
#include "ridge/measurement.hpp"

namespace ridge::cpu {

/// Execution resources overlap: the longest counts. Everything from stores on is added.
enum class Resource : std::size_t {
    fma,         ///< multiply-adds, stretched where their chains are longer than the latency hides
    arithmetic,  ///< all vector arithmetic on all units
    load_store,  ///< loads and broadcasts, or stores
    issue,       ///< instructions
    division,    ///< divisions and square roots
    stores,      ///< results that are kept in memory between two sums: what follows waits for them
    l2_read,     ///< lines that L1 reads from L2
    l2_write,    ///< and writes back
    l3_read,
    l3_write,
    memory_read,
    memory_write,
    non_temporal,  ///< stores past the caches
    calls,         ///< entries into generated code
    transitions,   ///< SSE instructions after AVX ones with dirty upper halves
    fixed,         ///< a parallel region and a library call
};
inline constexpr std::size_t resources = 16;
inline constexpr std::size_t first_added = static_cast<std::size_t>(Resource::stores);
[[nodiscard]] std::string_view to_string(Resource resource);

using TermTimes = std::array<double, resources>;  ///< seconds; calls: how many

struct Terms {
    TermTimes time{};
    // What the caches' capacities decide is left open until the constants are known:
    // memory traffic = missing share of the distinct bytes and of the repeated ones.
    double distinct_read_s = 0, repeated_read_s = 0;  ///< at the memory's rate
    double distinct_written_s = 0, repeated_written_s = 0;
    double known_read_s = 0, known_written_s = 0;  ///< of a simulation, instead of these
    double footprint_over_capacity = 0;            ///< of the last cache; 0: everything fits
    bool cold = false;                             ///< all distinct bytes come from memory
};

/// Missing share of data that is used again after `ratio` times the capacity: none while it fits,
/// then 1 - ratio^-steepness. Steepness 1: a cache without preference for the oldest line;
/// infinite: true LRU, which loses everything at once.
[[nodiscard]] double missing_share(double ratio, double steepness);

[[nodiscard]] Terms terms_of(const PassDemand& demand, const Capability& machine, CacheState state);

}  // namespace ridge::cpu
