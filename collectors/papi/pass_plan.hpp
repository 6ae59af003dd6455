// Which counters run together: a pass holds what fits on the counters at once, so that nothing is
// multiplexed; each pass is one repetition of the kernel.
#pragma once

#include <string>
#include <vector>

#include "ridge/counters.hpp"

namespace ridge::papi {

/// One event of a quantity, as the back end opens it.
struct PlannedEvent {
    int row = -1;           ///< of the table; -1: cycles, -2: instructions
    std::string spelling;   ///< "skx::L1D:REPLACEMENT", "uncore_imc_3/event=0x04,umask=0x03/"
    std::string pool;       ///< PMU or device whose counters it takes
    std::vector<int> cpus;  ///< of a device: processors that read it, one per socket
    double weight = 1;
};
inline constexpr int cycles_row = -1, instructions_row = -2;

struct Pass {
    CounterScope scope = CounterScope::thread;
    std::vector<PlannedEvent> events;
};

/// Names under which one term may be known, best first: by PAPI's name, then by its code.
[[nodiscard]] std::vector<std::string> spellings(const EventTerm& term, const std::string& pmu);

/// Devices of the kernel that are instances of a memory controller: "uncore_imc" is also
/// "uncore_imc_0" and so on, not "uncore_imc_free_running".
[[nodiscard]] std::vector<std::string> instances(const SystemFacts& facts,
                                                 const std::string& device);

/// Distributes events over passes; quantities that need more counters than there are get several,
/// whose counts are added. Events of a thread get cycles and instructions of their PMU, where
/// `base` has them, in every pass.
[[nodiscard]] std::vector<Pass> plan_passes(const EventTable& table,
                                            const std::vector<PlannedEvent>& events,
                                            const std::vector<PlannedEvent>& base);

}  // namespace ridge::papi
