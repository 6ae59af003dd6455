// The tracer's totals as PAPI software-defined events "sde:::ridge::NAME": any program that reads
// PAPI in this process sees what the traced kernels executed, on machines without a PMU too.
#pragma once

#include <string>

#include "ridge/kernel_counts.hpp"

namespace ridge::papi {

class SoftwareEvents {
public:
    /// Registers the events, which stay until the process ends; totals are the process's.
    SoftwareEvents();

    /// Empty, or why there are no events.
    [[nodiscard]] std::string unavailable() const;
    /// Adds one traced execution to the totals.
    void add(const KernelCounts& counts);
};

}  // namespace ridge::papi
