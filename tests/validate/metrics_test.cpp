// Do the error figures agree with values worked out by hand?
#include "validate/metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::validate;

TEST_SUITE_BEGIN("formula");

TEST_CASE("errors, coverage and the step's error of three cases") {
    // +10 %, -20 %, 0 %; the interval holds the first and the last.
    const std::vector<Outcome> cases{{1.1, 1, 0.9, 1.2, 2}, {1.6, 2, 1.5, 1.7, 1}, {4, 4, 4, 4, 3}};
    const Metrics m = metrics_of(cases);
    CHECK(m.n == 3);
    CHECK(m.mape == doctest::Approx(0.1));
    CHECK(m.median == doctest::Approx(0.1));
    CHECK(m.bias == doctest::Approx(-0.1 / 3));
    CHECK(m.spearman == doctest::Approx(1));
    CHECK(m.coverage == doctest::Approx(2.0 / 3));
    CHECK(m.total_error == doctest::Approx((2 * 1.1 + 1.6 + 12) / (2 + 2 + 12.0) - 1));
}

TEST_CASE("rank correlation: order only, ties share a rank") {
    const std::vector<double> a{1, 2, 3, 4, 5}, b{1, 8, 27, 64, 125}, c{5, 6, 7, 8, 7};
    CHECK(rank_correlation(a, b) == doctest::Approx(1));
    // The example of the textbooks: ranks of c are 1 2 3.5 5 3.5.
    CHECK(rank_correlation(a, c) == doctest::Approx(8 / std::sqrt(10 * 9.5)));
    const std::vector<double> falling{9, 7, 5, 3, 1}, equal{2, 2, 2, 2, 2};
    CHECK(rank_correlation(a, falling) == doctest::Approx(-1));
    CHECK(rank_correlation(a, equal) == 0);
}

TEST_CASE("rate R2 is 1 for a perfect prediction and 0 for the mean rate") {
    const std::vector<double> flops{1, 10, 100};
    // Rates 1, 1/2, 1/4: times 1, 20, 400; log rate means log 2 above the FLOPs.
    std::vector<Outcome> perfect{{1, 1, 0, 0}, {20, 20, 0, 0}, {400, 400, 0, 0}};
    CHECK(rate_r2(perfect, flops) == doctest::Approx(1));
    std::vector<Outcome> mean_rate{{2, 1, 0, 0}, {20, 20, 0, 0}, {200, 400, 0, 0}};
    CHECK(rate_r2(mean_rate, flops) == doctest::Approx(0));
}

TEST_CASE("times that are not positive are refused, no cases give zeros") {
    CHECK(metrics_of({}).n == 0);
    const std::vector<Outcome> wrong{{0, 1, 0, 1}};
    CHECK_THROWS_AS((void)metrics_of(wrong), Error);
}

TEST_SUITE_END();
