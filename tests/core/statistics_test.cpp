#include "ridge/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/core/expect_error.hpp"

using namespace ridge;

namespace {

std::vector<double> random_values(std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::lognormal_distribution<double> distribution(0, 1);
    std::vector<double> values(n);
    for (double& value : values) value = distribution(engine);
    return values;
}

/// P(k <= B <= n-k), B ~ binomial(n, 1/2), from Pascal's triangle.
double coverage(std::size_t n, std::size_t k) {
    std::vector<double> row{1.0};
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> next(row.size() + 1, 0.0);
        for (std::size_t j = 0; j < row.size(); ++j) {
            next[j] += row[j] / 2;
            next[j + 1] += row[j] / 2;
        }
        row = std::move(next);
    }
    double sum = 0;
    for (std::size_t j = k; j <= n - k; ++j) sum += row[j];
    return sum;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("quantiles of known lists") {
        const std::vector<double> values{4, 1, 3, 2};
        CHECK(quantile(values, 0) == 1);
        CHECK(quantile(values, 1) == 4);
        CHECK(median(values) == 2.5);
        CHECK(quantile(values, 0.25) == 1.75);
        CHECK(quantile(values, -1) == 1);
        CHECK(quantile(values, 2) == 4);
        CHECK(median(std::vector<double>{7}) == 7);
        CHECK(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}) == 1);
        CHECK(mean(values) == 2.5);
        CHECK(kth_smallest(values, 2) == 3);
    }

    TEST_CASE("against a naive reference") {
        for (std::size_t n : {1u, 2u, 3u, 10u, 101u}) {
            const auto values = random_values(n, static_cast<unsigned>(n));
            auto sorted = values;
            std::sort(sorted.begin(), sorted.end());
            for (std::size_t k = 0; k < n; ++k) {
                CHECK(kth_smallest(values, k) == sorted[k]);
                // The quantile at k/(n-1) is the k-th order statistic itself.
                if (n > 1)
                    CHECK(quantile(values, static_cast<double>(k) / static_cast<double>(n - 1)) ==
                          doctest::Approx(sorted[k]));
            }
            const double centre =
                n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
            CHECK(median(values) == doctest::Approx(centre));
            std::vector<double> distances;
            for (double value : values) distances.push_back(std::abs(value - centre));
            CHECK(median_absolute_deviation(values) == doctest::Approx(median(distances)));
        }
    }

    TEST_CASE("the difference of two runs is symmetric and relative to their mean") {
        CHECK(relative_difference(99, 101) == doctest::Approx(0.02));
        CHECK(relative_difference(101, 99) == relative_difference(99, 101));
        CHECK(relative_difference(0, 0) == 0);
        CHECK(relative_difference(0, 5) == 2);
    }

    TEST_CASE("errors of predictions are fractions with a signed bias") {
        const std::vector<double> measured{100, 200, 400, 50};
        const std::vector<double> predicted{110, 180, 400, 60};  // +10, -10, 0, +20 %
        const ErrorSummary errors = summarise_errors(predicted, measured);
        CHECK(errors.n == 4);
        CHECK(errors.mean == doctest::Approx(0.10));
        CHECK(errors.median == doctest::Approx(0.10));
        CHECK(errors.p90 == doctest::Approx(0.17));
        CHECK(errors.max == doctest::Approx(0.20));
        CHECK(errors.bias == doctest::Approx(0.05));
        CHECK(summarise_errors({}, {}).n == 0);
    }

    TEST_CASE("the interval of the median is the narrowest symmetric one with 90 %") {
        for (std::size_t n = 1; n <= 80; ++n) {
            std::vector<double> ranks(n);
            for (std::size_t i = 0; i < n; ++i) ranks[i] = static_cast<double>(n - i);
            const Interval interval = median_interval(ranks);
            const auto k = static_cast<std::size_t>(interval.low);  // 1-based rank
            INFO("n = " << n << ", ranks " << interval.low << " and " << interval.high);
            CHECK(interval.low + interval.high == static_cast<double>(n + 1));
            CHECK(interval.low <= interval.high);
            if (n >= 5) CHECK(coverage(n, k) >= 0.9);
            if (n < 5) CHECK(k == 1);
            if (2 * (k + 1) <= n) CHECK(coverage(n, k + 1) < 0.9);
        }
    }

    TEST_CASE("values that have no order or no meaning are refused") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const std::vector<double> none, bad{1, nan, 2}, one{1}, zero{0};
        for (const auto* values : {&none, &bad}) {
            test::expect_error(ExitCode::job_failed, {"value"}, [&] { (void)median(*values); });
            test::expect_error(ExitCode::job_failed, {"value"},
                               [&] { (void)median_interval(*values); });
            test::expect_error(ExitCode::job_failed, {"value"},
                               [&] { (void)kth_smallest(*values, 0); });
        }
        test::expect_error(ExitCode::job_failed, {"few"}, [&] { (void)kth_smallest(one, 1); });
        test::expect_error(ExitCode::job_failed, {"no values"}, [&] { (void)mean(none); });
        test::expect_error(ExitCode::job_failed, {"differ"},
                           [&] { (void)summarise_errors(one, none); });
        test::expect_error(ExitCode::job_failed, {"positive"},
                           [&] { (void)summarise_errors(one, zero); });
    }
}
