// The tracer's totals as PAPI software-defined events "sde:::ridge::NAME": any program that reads
// PAPI in this process sees what the traced kernels executed, on machines without a PMU too.
#pragma once

#include <memory>
#include <string>

#include "ridge/kernel_counts.hpp"

namespace ridge::papi {

class SoftwareEvents {
public:
    /// Registers the events; they start at 0. One object at a time.
    SoftwareEvents();
    ~SoftwareEvents();
    SoftwareEvents(const SoftwareEvents&) = delete;
    SoftwareEvents& operator=(const SoftwareEvents&) = delete;

    /// Empty, or why there are no events.
    [[nodiscard]] std::string unavailable() const;
    /// Adds one traced execution to the totals.
    void add(const KernelCounts& counts);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ridge::papi
