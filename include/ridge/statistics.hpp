// Robust statistics for samples whose disturbance only ever adds time.
#pragma once

#include <span>
#include <vector>

namespace ridge {

/// q in [0, 1], linear between order statistics. Precondition: not empty (throws Error).
[[nodiscard]] double quantile(std::span<const double> values, double q);
[[nodiscard]] double median(std::span<const double> values);
/// Median absolute deviation from the median.
[[nodiscard]] double median_absolute_deviation(std::span<const double> values);
/// k-th smallest, 0-based. Precondition: k < size.
[[nodiscard]] double kth_smallest(std::span<const double> values, std::size_t k);
[[nodiscard]] double mean(std::span<const double> values);

/// |a-b| relative to their mean: how far two runs differ.
[[nodiscard]] double relative_difference(double a, double b);

struct ErrorSummary {
    std::size_t n = 0;
    double mean = 0, median = 0, p90 = 0, max = 0, bias = 0;  ///< fractions, not percent
};
/// Of |predicted-measured|/measured; bias of the signed values.
[[nodiscard]] ErrorSummary summarise_errors(std::span<const double> predicted,
                                            std::span<const double> measured);

/// Half-open bootstrap-free interval of the median by order statistics, about 90 %.
struct Interval {
    double low = 0, high = 0;
};
[[nodiscard]] Interval median_interval(std::span<const double> values);

}  // namespace ridge
