// Does the fit find constants that were planted, and leave alone what no row tells of?
#include "model/predict/cpu/fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::cpu;

namespace {

FitRow row(std::mt19937& random, const Constants& truth, const char* group) {
    std::uniform_real_distribution<double> size(-4, -2), share(0.05, 1.5);
    FitRow r;
    const double scale = std::pow(10, size(random));
    r.terms.time[static_cast<std::size_t>(Resource::fma)] = scale;
    r.terms.time[static_cast<std::size_t>(Resource::load_store)] = scale * share(random);
    r.terms.time[static_cast<std::size_t>(Resource::l2_read)] = scale * share(random);
    r.terms.time[static_cast<std::size_t>(Resource::l3_read)] = 0.5 * scale * share(random);
    r.class_name = "planted";
    r.group = group;
    r.time_s = time_of(r.terms, truth);
    return r;
}

}  // namespace

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("planted constants come back, unseen ones keep the prior") {
    Constants truth = prior_calibration().of(Family::convolution).constants;
    truth.of(Resource::fma) = 1.07;
    truth.of(Resource::load_store) = 1.3;
    truth.of(Resource::l2_read) = 0.35;
    truth.of(Resource::l3_read) = 0.2;
    std::mt19937 random(7);
    std::vector<FitRow> rows;
    for (int i = 0; i < 400; ++i) rows.push_back(row(random, truth, i % 2 ? "a" : "b"));
    const Calibration c = fit(rows);
    const Constants& found = c.of(Family::convolution).constants;
    CHECK(found.of(Resource::fma) == doctest::Approx(1.07).epsilon(0.02));
    CHECK(found.of(Resource::load_store) == doctest::Approx(1.3).epsilon(0.02));
    CHECK(found.of(Resource::l2_read) == doctest::Approx(0.35).epsilon(0.05));
    CHECK(found.of(Resource::l3_read) == doctest::Approx(0.2).epsilon(0.1));
    CHECK(found.of(Resource::division) == 1);
    for (const FitRow& r : rows)
        CHECK(predict_time(r, c) == doctest::Approx(r.time_s).epsilon(0.02));
    // A family without rows is the prior.
    CHECK(c.of(Family::product).constants.of(Resource::fma) ==
          prior_calibration().of(Family::product).constants.of(Resource::fma));
}

TEST_CASE("a few disturbed rows do not bend the constants") {
    Constants truth = prior_calibration().of(Family::convolution).constants;
    std::mt19937 random(8);
    std::vector<FitRow> rows;
    for (int i = 0; i < 200; ++i) rows.push_back(row(random, truth, "a"));
    for (int i = 0; i < 20; ++i) rows[static_cast<std::size_t>(i)].time_s *= 2;
    const Calibration c = fit(rows);
    CHECK(c.of(Family::convolution).constants.of(Resource::fma) ==
          doctest::Approx(truth.of(Resource::fma)).epsilon(0.03));
}

TEST_CASE("residuals are those of rows that were left out") {
    // Group b is 20 % slower: constants of a miss it by that, and the interval must say so.
    Constants truth = prior_calibration().of(Family::convolution).constants;
    std::mt19937 random(9);
    std::vector<FitRow> rows;
    for (int i = 0; i < 200; ++i) {
        rows.push_back(row(random, truth, i % 2 ? "a" : "b"));
        if (i % 2 == 0) rows.back().time_s *= 1.2;
    }
    const Residuals r = fit(rows).of(Family::convolution).residuals;
    CHECK(r.high > 0.1);
    CHECK(r.low < -0.1);
}

TEST_CASE("rows without a positive time are refused") {
    std::vector<FitRow> rows(1);
    CHECK_THROWS_AS((void)fit(rows), Error);
    CHECK_THROWS_AS((void)fit({}), Error);
}

TEST_SUITE_END();
