// How well two probes of one machine agree.
#pragma once

#include <string>
#include <vector>

#include "ridge/machine.hpp"

namespace ridge::probe {

struct FigurePair {
    std::string name;
    double first = 0, second = 0;  ///< in the figure's unit
    /// |first - second| over their mean.
    [[nodiscard]] double difference() const;
};

struct Agreement {
    std::vector<FigurePair> ceilings;   ///< compute ceilings and bandwidths, worst first
    std::vector<FigurePair> others;     ///< latencies, overheads, effective capacity, worst first
    std::vector<std::string> only_one;  ///< figures that one of the probes lacks
};

[[nodiscard]] Agreement compare_probes(const Machine& first, const Machine& second);

/// Median of the differences; 0 for none.
[[nodiscard]] double median_difference(const std::vector<FigurePair>& pairs);

}  // namespace ridge::probe
