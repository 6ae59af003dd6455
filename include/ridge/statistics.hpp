// Robust statistics for samples whose disturbance only ever adds time.
#pragma once

#include <span>
#include <vector>

namespace ridge {

// Values are finite, and there is at least one; everything else throws Error job_failed.

/// q in [0, 1] (clamped), linear between order statistics.
[[nodiscard]] double quantile(std::span<const double> values, double q);
[[nodiscard]] double median(std::span<const double> values);
/// Median absolute deviation from the median.
[[nodiscard]] double median_absolute_deviation(std::span<const double> values);
/// k-th smallest, 0-based; k < size.
[[nodiscard]] double kth_smallest(std::span<const double> values, std::size_t k);
[[nodiscard]] double mean(std::span<const double> values);

/// |a-b| relative to their mean: how far two runs differ.
[[nodiscard]] double relative_difference(double a, double b);

struct ErrorSummary {
    std::size_t n = 0;
    double mean = 0, median = 0, p90 = 0, max = 0, bias = 0;  ///< fractions, not percent
};
/// Of |predicted-measured|/measured; bias is the mean of the signed values. n = 0 gives zeros.
/// Throws Error job_failed for a measured value that is not positive.
[[nodiscard]] ErrorSummary summarise_errors(std::span<const double> predicted,
                                            std::span<const double> measured);

struct Interval {
    double low = 0, high = 0;
};
/// Encloses the median of the distribution with at least 90 % (two order statistics, no assumption
/// about the shape). Below 5 values that is not reachable: the whole range.
[[nodiscard]] Interval median_interval(std::span<const double> values);

}  // namespace ridge
