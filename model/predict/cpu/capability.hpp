// What a machine file promises one of `threads` busy threads, in the units of PassDemand.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ridge/demand.hpp"
#include "ridge/machine.hpp"

namespace ridge::cpu {

struct LevelCapability {
    std::string level;
    double read_bytes_per_s = 0, write_bytes_per_s = 0;  ///< of one thread while all are busy
    double non_temporal_bytes_per_s = 0;                 ///< memory only
    double capacity_bytes = 0;                           ///< usable by all threads together
    double latency_s = 0;                                ///< 0: not in the file
    bool memory = false;
};

struct Capability {
    int threads = 1;
    double clock_hz = 0;
    /// Instructions per second of one thread by vector width: multiply-adds, and all other vector
    /// arithmetic. Where both are equal the units are the same ones.
    ByWidth fma_per_s{}, other_per_s{};
    double load_slot_bytes = 64;  ///< widest single load of the first level
    double loads_per_s = 0;
    double stores_per_s = 0, store_bytes_per_s = 0;
    double instructions_per_s = 0;
    double fma_latency_s = 0;
    std::vector<LevelCapability> levels;  ///< beyond the first: L2, L3, DRAM
    double transition_s = 0;              ///< SSE instruction between wide ones
    double call_s = 0;                    ///< parallel region and an empty primitive
};

/// Throws Error bad_input for a machine without f32 ceilings, clock or memory levels.
[[nodiscard]] Capability capability_of(const Machine& machine, int threads);

}  // namespace ridge::cpu
