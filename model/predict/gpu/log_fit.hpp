// Robust least squares of log(predicted / measured) over bounded positive parameters: every fit of
// this folder and of the baselines beside it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace ridge::gpu {

struct FitParameter {
    double low, high, start;
    int group = -1;  ///< rows of this group only depend on it; -1: all rows do
};

struct FitTask {
    std::vector<FitParameter> parameters;
    std::vector<double> measured_s;
    std::vector<int> group;  ///< of each row
    /// Predicted time of row `i` with these values (of all parameters), s.
    std::function<double(std::size_t i, std::span<const double> values)> predict;
    int iterations = 12;
    double prior = 0.1;  ///< weight of a parameter's distance from its start (in logits, 1/2 each)
};

/// Values within their bounds. Minimizes the sum of |log ratio| (squares below 3 %) plus the prior
/// by damped Gauss-Newton steps; deterministic.
[[nodiscard]] std::vector<double> fit_log(const FitTask& task);

}  // namespace ridge::gpu
