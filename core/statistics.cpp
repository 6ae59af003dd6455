#include "ridge/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridge/error.hpp"

namespace ridge {
namespace {

/// A copy that can be ordered: NaN has no place in an order.
std::vector<double> checked_copy(std::span<const double> values) {
    if (values.empty()) throw job_failed("a statistic", "there are no values");
    for (double value : values)
        if (!std::isfinite(value)) throw job_failed("a statistic", "a value is not finite");
    return {values.begin(), values.end()};
}

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy = checked_copy(values);
    std::sort(copy.begin(), copy.end());
    return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double q) {
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double weight = position - static_cast<double>(below);
    return values[below] + weight * (values[above] - values[below]);
}

}  // namespace

double quantile(std::span<const double> values, double q) {
    return quantile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) {
    return quantile(values, 0.5);
}

double median_absolute_deviation(std::span<const double> values) {
    const double centre = median(values);
    std::vector<double> distances;
    distances.reserve(values.size());
    for (double value : values) distances.push_back(std::abs(value - centre));
    return median(distances);
}

double kth_smallest(std::span<const double> values, std::size_t k) {
    if (k >= values.size()) throw job_failed("a statistic", "there are too few values");
    std::vector<double> copy = checked_copy(values);
    const auto position = copy.begin() + static_cast<std::ptrdiff_t>(k);
    std::nth_element(copy.begin(), position, copy.end());
    return *position;
}

double mean(std::span<const double> values) {
    if (values.empty()) throw job_failed("a statistic", "there are no values");
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double relative_difference(double a, double b) {
    const double scale = (std::abs(a) + std::abs(b)) / 2;
    return scale == 0 ? 0 : std::abs(a - b) / scale;
}

ErrorSummary summarise_errors(std::span<const double> predicted, std::span<const double> measured) {
    if (predicted.size() != measured.size())
        throw job_failed("an error summary", "predicted and measured differ in number");
    ErrorSummary summary;
    summary.n = predicted.size();
    if (summary.n == 0) return summary;
    std::vector<double> errors;
    errors.reserve(summary.n);
    for (std::size_t i = 0; i < summary.n; ++i) {
        if (!(measured[i] > 0))
            throw job_failed("an error summary", "a measured value is not positive");
        const double signed_error = (predicted[i] - measured[i]) / measured[i];
        errors.push_back(std::abs(signed_error));
        summary.bias += signed_error / static_cast<double>(summary.n);
    }
    std::sort(errors.begin(), errors.end());
    summary.mean = mean(errors);
    summary.median = quantile_of_sorted(errors, 0.5);
    summary.p90 = quantile_of_sorted(errors, 0.9);
    summary.max = errors.back();
    return summary;
}

Interval median_interval(std::span<const double> values) {
    // Of n values B ~ binomial(n, 1/2) lie below the true median, so the k-th smallest and the k-th
    // largest enclose it with probability P(k <= B <= n-k) = 1 - 2 P(B < k). Take the largest k
    // that keeps 90 %.
    const auto ordered = sorted(values);
    const std::size_t n = ordered.size();
    double log_probability = -static_cast<double>(n) * std::log(2.0);  // of B = 0
    double below = std::exp(log_probability);                          // P(B < 1)
    std::size_t k = 0;  // 0-based rank of the low end
    while (k + 1 < n - (k + 1)) {
        log_probability += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
        below += std::exp(log_probability);
        if (2 * below > 0.1) break;
        ++k;
    }
    return {ordered[k], ordered[n - 1 - k]};
}

}  // namespace ridge
