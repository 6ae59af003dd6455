#include "collectors/clock/estimator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridge/error.hpp"
#include "ridge/statistics.hpp"

namespace ridge::clock {
namespace {

/// Clock of a sample relative to the one that times are normalised to.
double relative_clock(const Sample& sample) {
    return sample.raw_time.value() > 0 ? sample.time / sample.raw_time : 1;
}

/// Quiet samples at one clock. Times at another one cannot be normalised to it: memory does not
/// follow the clock of the core.
std::vector<Sample> quiet_by_time(std::span<const Sample> samples) {
    std::vector<Sample> quiet;
    std::vector<double> clocks;
    for (const Sample& sample : samples) {
        if (!sample.quiet) continue;
        quiet.push_back(sample);
        clocks.push_back(relative_clock(sample));
    }
    const std::vector<bool> steady = steady_clock_samples(clocks);
    std::size_t at = 0;
    std::erase_if(quiet, [&](const Sample&) { return !steady[at++]; });
    std::sort(quiet.begin(), quiet.end(),
              [](const Sample& a, const Sample& b) { return a.time < b.time; });
    return quiet;
}

bool settled_sorted(const std::vector<Sample>& quiet, const Protocol& protocol) {
    if (quiet.size() < protocol.settled_quiet) return false;
    const Seconds limit = quiet.front().time * (1 + protocol.settled_within);
    std::set<int> visits;
    std::size_t cluster = 0;
    while (cluster < quiet.size() && quiet[cluster].time <= limit)
        visits.insert(quiet[cluster++].visit);
    return cluster >= protocol.settled_cluster &&
           static_cast<int>(visits.size()) >= protocol.settled_visits;
}

std::size_t estimate_rank(std::size_t n, const Protocol& protocol) {
    const auto by_quantile =
        static_cast<std::size_t>(std::lround(protocol.estimate_quantile * static_cast<double>(n)));
    return std::min(std::max(protocol.estimate_rank, by_quantile), n - 1);
}

}  // namespace

std::vector<bool> steady_clock_samples(std::span<const double> clocks) {
    if (clocks.empty()) return {};
    const double middle = median({clocks.begin(), clocks.end()});
    std::vector<bool> steady;
    for (const double clock : clocks)
        steady.push_back(std::abs(clock - middle) <= clock_tolerance * middle);
    return steady;
}

bool settled(std::span<const Sample> samples, const Protocol& protocol) {
    return settled_sorted(quiet_by_time(samples), protocol);
}

TimeSummary summarise(std::span<const Sample> samples, const Protocol& protocol) {
    if (samples.empty()) throw job_failed("summary", "no samples");
    std::vector<double> raw;
    for (const auto& sample : samples) raw.push_back(sample.raw_time.value());
    const auto quiet = quiet_by_time(samples);

    TimeSummary summary;
    summary.samples = static_cast<int>(samples.size());
    summary.quiet_samples = static_cast<int>(quiet.size());
    summary.raw_min = Seconds(kth_smallest(raw, 0));
    summary.median = Seconds(median(raw));
    summary.settled = settled_sorted(quiet, protocol);
    summary.upper_bound = quiet.size() < protocol.quiet_needed;
    if (summary.upper_bound) {
        summary.time =
            std::min_element(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
                return a.time < b.time;
            })->time;
    } else {
        summary.time = quiet[estimate_rank(quiet.size(), protocol)].time;
        summary.spread = summary.time - quiet.front().time;
    }
    return summary;
}

StepRatio step_ratio(std::span<const StepPair> pairs) {
    if (pairs.size() < 3) throw job_failed("step ratio", "fewer than 3 pairs");
    std::vector<double> logs;
    for (const auto& pair : pairs) logs.push_back(std::log(pair.step / pair.rows));
    std::vector<double> means;
    for (std::size_t i = 0; i < logs.size(); ++i)
        for (std::size_t j = i; j < logs.size(); ++j) means.push_back(0.5 * (logs[i] + logs[j]));
    std::sort(means.begin(), means.end());
    // Limits by the normal approximation of Wilcoxon's signed-rank statistic (Hollander, Wolfe:
    // Nonparametric Statistical Methods, section 3.3).
    const double n = static_cast<double>(logs.size()), z90 = 1.645;
    const double rank = n * (n + 1) / 4 - z90 * std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
    const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(rank)));
    return {std::exp(median(means)), std::exp(means[low]), std::exp(means[means.size() - 1 - low])};
}

StepTime summarise_step(std::span<const Sample> samples, std::span<const StepPair> pairs,
                        Seconds sum_of_rows, const Protocol& protocol) {
    StepTime step;
    step.time = summarise(samples, protocol);
    if (step.time.settled || pairs.size() < 3) {
        const auto quiet = quiet_by_time(samples);
        step.interval_low = quiet.empty() ? step.time.time : quiet.front().time;
        step.interval_high =
            quiet.empty()
                ? step.time.time
                : quiet[std::min(estimate_rank(quiet.size(), protocol) * 2 + 1, quiet.size() - 1)]
                      .time;
        step.method = fmt::format("low quantile of {} quiet repetitions of {}",
                                  step.time.quiet_samples, step.time.samples);
        return step;
    }
    const StepRatio ratio = step_ratio(pairs);
    step.time.time = sum_of_rows * ratio.ratio;
    step.time.spread = sum_of_rows * (ratio.high - ratio.low);
    step.time.upper_bound = false;
    step.interval_low = sum_of_rows * ratio.low;
    step.interval_high = sum_of_rows * ratio.high;
    step.method = fmt::format(
        "quiet sum of the rows x {:.4f}, how much longer the step took than "
        "its rows in {} neighbouring pairs",
        ratio.ratio, pairs.size());
    return step;
}

}  // namespace ridge::clock
