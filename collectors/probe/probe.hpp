// Measures this machine: the job behind `ridge machine probe`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectors/clock/quiet_levels.hpp"
#include "ridge/machine.hpp"

namespace ridge::probe {

struct ProbeOptions {
    bool quick = false;  ///< 20 s instead of 90 s: fewer rounds through the same figures
    int threads = 0;     ///< highest thread count; 0: one per core that this process may use
};

/// Hard limit of the measuring time.
[[nodiscard]] double budget_s(const ProbeOptions& options);
/// What a probe takes when its figures agree: the rest of the budget is for those that do not.
[[nodiscard]] double usual_s(const ProbeOptions& options);

struct ProbeHooks {
    std::function<bool()> interrupted = [] { return false; };
    /// Seconds since the probe began, and what is being measured.
    std::function<void(double elapsed_s, const std::string& item)> progress =
        [](double, const std::string&) {};
};

struct ProbeResult {
    Machine machine;            ///< its quiet levels are those of this probe alone
    clock::QuietHistory quiet;  ///< what the quiet probes saw, to be added to what is known
    double took_s = 0;
    std::vector<std::string> not_measured;  ///< what, and why
    std::vector<std::string> suspicious;    ///< figures that contradict something, and what
};

/// Throws Error bad_input for more threads than cores, not_possible when threads cannot be bound,
/// job_failed when interrupted.
[[nodiscard]] ProbeResult probe_machine(const ProbeOptions& options, const ProbeHooks& hooks = {});

}  // namespace ridge::probe
