// Spreads many short measurements over the time that the probe has. The disturbance of a shared
// machine comes and goes over milliseconds to minutes, so no figure may be taken in one place: the
// schedule goes through all figures in rounds until each has agreeing windows, within a budget that
// holds on a loaded machine too.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectors/probe/top_cluster.hpp"

namespace ridge::probe {

/// One figure to be measured.
struct Task {
    std::string name;
    /// Takes a few windows, at most some ten milliseconds in all, and appends them. `visit` is to
    /// be written into the samples.
    std::function<void(int visit, std::vector<WindowSample>& samples)> measure;

    std::vector<WindowSample> samples;
    int visits = 0;
    double spent_s = 0;
    double longest_s = 0;  ///< of a visit so far

    [[nodiscard]] bool accepted() const;
};

struct ScheduleRules {
    double settle_s = 0;    ///< go on so long even when every figure is accepted
    double deadline_s = 0;  ///< on the clock of Hooks::now_s: no visit starts that would end later
    /// A task that has taken more than this multiple of the mean time per task waits, once it has
    /// been visited twice: a figure that is slow to measure must not starve the others.
    double fair_share = 3;
};

/// What the schedule needs from outside; tests replace the clock.
struct Hooks {
    std::function<double()> now_s;
    std::function<bool()> interrupted;
    std::function<void(double elapsed_s, const std::string& task)> progress;
};

enum class ScheduleEnd { settled, out_of_time, interrupted };

/// Rounds over `tasks` until all are accepted and settle_s has passed, or the deadline. Once
/// settle_s has passed only tasks without agreement are visited.
ScheduleEnd run_rounds(std::span<Task* const> tasks, const ScheduleRules& rules,
                       const Hooks& hooks);

}  // namespace ridge::probe
