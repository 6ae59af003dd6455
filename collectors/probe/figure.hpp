// From agreeing windows to a number of the machine file.
#pragma once

#include <fmt/format.h>

#include <string>

#include "collectors/probe/top_cluster.hpp"
#include "ridge/machine.hpp"

namespace ridge::probe {

/// Beginning of the note of a figure whose windows did not agree.
inline constexpr const char* disagreement = "no 3 windows agree within 1 %";

/// `value` is the cluster's rate in the figure's unit (a latency is the inverse of a rate); `how`
/// begins the note.
[[nodiscard]] inline Figure figure_of(const TopCluster& cluster, double value, std::size_t windows,
                                      const std::string& how = {}) {
    const std::string agreement =
        cluster.accepted
            ? fmt::format("{} of {} windows agree within 1 %", cluster.members.size(), windows)
            : fmt::format("{}: best of {} windows", disagreement, windows);
    return {value, Source::measured, cluster.spread,
            how.empty() ? agreement : how + "; " + agreement};
}

}  // namespace ridge::probe
