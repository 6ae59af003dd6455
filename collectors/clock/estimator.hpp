// From samples to one time. Disturbance only ever adds time, and the probes see most of it but not
// all (contention for L3 and DRAM, a burst inside a long execution), so the estimate is a low
// quantile of the samples that the probes call quiet.
#pragma once

#include <span>
#include <vector>

#include "collectors/clock/protocol.hpp"
#include "ridge/measurement.hpp"

namespace ridge::clock {

/// Samples at a clock further from their median clock are dropped: thermal and power limits
/// otherwise end up in the numbers.
inline constexpr double clock_tolerance = 0.05;
[[nodiscard]] std::vector<bool> steady_clock_samples(std::span<const double> clocks);

/// Enough quiet samples, of several visits, within about 1 % of the smallest one. Anchored at the
/// smallest: samples that agree above it agree about a disturbance.
[[nodiscard]] bool settled(std::span<const Sample> samples, const Protocol& protocol);

/// Precondition: not empty (throws Error job_failed).
[[nodiscard]] TimeSummary summarise(std::span<const Sample> samples, const Protocol& protocol);

/// A step timed as a whole beside the same step timed row by row, raw, one right after the other.
struct StepPair {
    Seconds step;
    Seconds rows;  ///< sum over the rows
};

/// How much longer the step takes than the sum of its rows, which disturbance hits alike: the
/// Hodges-Lehmann estimate of step / rows (median of the means of all pairs of logarithms) with its
/// 90 % interval. Single pairs that a preemption spoiled do not move it.
/// Precondition: at least 3 pairs (throws Error job_failed).
struct StepRatio {
    double ratio = 1, low = 1, high = 1;
};
[[nodiscard]] StepRatio step_ratio(std::span<const StepPair> pairs);

/// Time of the undisturbed step. A step that settles by itself is summarised as a row is. A longer
/// one is never wholly quiet; then
///   time = sum of the rows' quiet estimates x step_ratio(pairs).
/// Precondition: samples is not empty (throws Error job_failed).
[[nodiscard]] StepTime summarise_step(std::span<const Sample> samples,
                                      std::span<const StepPair> pairs, Seconds sum_of_rows,
                                      const Protocol& protocol);

}  // namespace ridge::clock
