// The estimator of every figure that the probe reports: the highest level that several separate
// windows agree on. Disturbance only ever lowers a rate, so the level of the undisturbed machine is
// the top of the samples; asking for agreement keeps one lucky or mistimed window from being it.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ridge::probe {

/// A rate observed in one window. Rates compare as "higher is less disturbed"; latencies enter as
/// 1/latency.
struct WindowSample {
    double rate = 0;
    int visit = 0;   ///< windows of one visit are neighbours in time
    double aux = 0;  ///< what was measured beside it (the clock of a compute window), kept along
};

struct ClusterRule {
    double tolerance = 0.01;  ///< members lie within this share below the highest member
    int windows = 3;          ///< members needed
    int visits = 2;           ///< of at least so many visits
};

struct TopCluster {
    double rate = 0;                    ///< median of the members
    double spread = 0;                  ///< (max - min) / median of the members
    std::vector<WindowSample> members;  ///< windows that agree, best first
    bool accepted =
        false;  ///< the rule is met; otherwise the members are the best windows there are

    /// Highest and lowest aux of the members.
    [[nodiscard]] double highest_aux() const;
    [[nodiscard]] double lowest_aux() const;
};

/// The highest cluster that meets the rule; when none does, the `rule.windows` highest samples (or
/// all, if fewer) with accepted = false. Nothing for an empty series.
[[nodiscard]] std::optional<TopCluster> top_cluster(std::span<const WindowSample> samples,
                                                    const ClusterRule& rule = {});

}  // namespace ridge::probe
