#include "validate/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridge/error.hpp"
#include "ridge/statistics.hpp"

namespace ridge::validate {
namespace {

void require_times(const Outcome& outcome) {
    for (const double time : {outcome.predicted_s, outcome.measured_s})
        if (!(time > 0) || !std::isfinite(time))
            throw job_failed("comparing times", "a time is not positive and finite");
}

/// Ranks from 1; equal values get the mean of their places.
std::vector<double> ranks_of(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
        const double rank = static_cast<double>(first + last + 1) / 2;
        for (; first < last; ++first) ranks[order[first]] = rank;
    }
    return ranks;
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size() || a.size() < 3) return 0;
    const auto rank_a = ranks_of(a), rank_b = ranks_of(b);
    const double mean_rank = static_cast<double>(a.size() + 1) / 2;
    double product = 0, square_a = 0, square_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = rank_a[i] - mean_rank, y = rank_b[i] - mean_rank;
        product += x * y;
        square_a += x * x;
        square_b += y * y;
    }
    return square_a > 0 && square_b > 0 ? product / std::sqrt(square_a * square_b) : 0;
}

Metrics metrics_of(std::span<const Outcome> outcomes) {
    Metrics result;
    result.n = outcomes.size();
    if (outcomes.empty()) return result;
    std::vector<double> predicted, measured;
    double covered = 0, sum_predicted = 0, sum_measured = 0;
    for (const Outcome& o : outcomes) {
        require_times(o);
        predicted.push_back(o.predicted_s);
        measured.push_back(o.measured_s);
        covered += o.low_s <= o.measured_s && o.measured_s <= o.high_s ? 1 : 0;
        sum_predicted += o.weight * o.predicted_s;
        sum_measured += o.weight * o.measured_s;
    }
    const ErrorSummary errors = summarise_errors(predicted, measured);
    result.mape = errors.mean;
    result.median = errors.median;
    result.p90 = errors.p90;
    result.bias = errors.bias;
    result.spearman = rank_correlation(predicted, measured);
    result.coverage = covered / static_cast<double>(outcomes.size());
    if (sum_measured > 0) result.total_error = sum_predicted / sum_measured - 1;
    return result;
}

double rate_r2(std::span<const Outcome> outcomes, std::span<const double> flops) {
    std::vector<double> y;
    double residual = 0;
    for (std::size_t i = 0; i < outcomes.size() && i < flops.size(); ++i) {
        if (!(flops[i] > 0)) continue;
        require_times(outcomes[i]);
        y.push_back(std::log(outcomes[i].measured_s / flops[i]));
        residual += std::pow(std::log(outcomes[i].predicted_s / outcomes[i].measured_s), 2);
    }
    if (y.size() < 3) return 0;
    const double centre = mean(y);
    double variation = 0;
    for (const double value : y) variation += (value - centre) * (value - centre);
    return variation > 0 ? 1 - residual / variation : 0;
}

}  // namespace ridge::validate
