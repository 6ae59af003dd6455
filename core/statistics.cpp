#include "ridge/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridge/error.hpp"

namespace ridge {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    if (values.empty()) throw job_failed("a statistic", "there are no values");
    std::vector<double> copy(values.begin(), values.end());
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
    std::vector<double> copy(values.begin(), values.end());
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
    // The number of values below the true median is binomial(n, 1/2): order statistics
    // n/2 -+ 1.645 sqrt(n)/2 enclose it with about 90 %.
    const auto ordered = sorted(values);
    const auto n = static_cast<double>(ordered.size());
    const double half_width = 1.645 * std::sqrt(n) / 2;
    const double low = std::max(0.0, std::floor(n / 2 - half_width));
    const double high = std::min(n - 1, std::ceil(n / 2 + half_width));
    return {ordered[static_cast<std::size_t>(low)], ordered[static_cast<std::size_t>(high)]};
}

}  // namespace ridge
