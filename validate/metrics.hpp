// Errors of predictions against measured times, as every table of `ridge validate` prints them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridge::validate {

/// A held-out case. Times in seconds; `low` and `high` are the ends of the predicted interval and
/// equal `predicted` for a model without one.
struct Outcome {
    double predicted_s = 0, measured_s = 0;
    double low_s = 0, high_s = 0;
    double weight = 1;  ///< executions of this case in the step, for total_error only
};

struct Metrics {
    std::size_t n = 0;
    double mape = 0;      ///< mean of |predicted / measured - 1|, a fraction
    double median = 0;    ///< of the same
    double p90 = 0;       ///< of the same
    double bias = 0;      ///< mean of predicted / measured - 1
    double spearman = 0;  ///< rank correlation of predicted and measured times; 0 below 3 cases
    double coverage = 0;  ///< share of measured times within [low, high]
    /// sum of weight x predicted / sum of weight x measured - 1: the error of the whole step
    double total_error = 0;
};

/// n = 0 gives zeros. Throws Error job_failed for a time that is not positive and finite.
[[nodiscard]] Metrics metrics_of(std::span<const Outcome> outcomes);

/// Spearman's rank correlation; ties share their mean rank. 0 where it is not defined (fewer than
/// 3 pairs, or all values of a side equal).
[[nodiscard]] double rank_correlation(std::span<const double> a, std::span<const double> b);

/// Coefficient of determination of log(time) - log(FLOPs): how much of the variation of the rate
/// that is not the work's size the predictions explain,
///
///   1 - sum (log p - log t)^2 / sum (y - mean y)^2,   y = log t - log F
///
/// Negative where the mean rate would have been better. Needs at least 3 cases with F > 0, else 0.
[[nodiscard]] double rate_r2(std::span<const Outcome> outcomes, std::span<const double> flops);

}  // namespace ridge::validate
