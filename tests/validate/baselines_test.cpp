// Do the baselines learn what is there to be learnt?
#include "validate/baselines.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "validate/boosted_trees.hpp"

using namespace ridge::validate;

namespace {

BaselineRow row(double compute, double memory, double time) {
    BaselineRow r;
    r.compute_s = compute;
    r.memory_s = memory;
    r.time_s = time;
    r.class_name = "c";
    r.shape = {std::log2(compute), std::log2(memory)};
    return r;
}

/// time = 1.25 max(compute, memory) + 1e-4, over many sizes.
std::vector<BaselineRow> planted() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> size(-4, -1);
    std::vector<BaselineRow> rows;
    for (int i = 0; i < 300; ++i) {
        const double c = std::pow(10, size(random)), m = std::pow(10, size(random));
        rows.push_back(row(c, m, 1.25 * std::max(c, m) + 1e-4));
    }
    return rows;
}

}  // namespace

TEST_SUITE_BEGIN("formula");

TEST_CASE("roofline is the longer of the two") {
    const auto model = fit_baseline(Baseline::roofline, {});
    CHECK(model->predict(row(2, 3, 1)) == 3);
    CHECK(model->predict(row(4, 3, 1)) == 4);
}

TEST_CASE("one percentage is the median of the ratios") {
    const std::vector<BaselineRow> rows{row(1, 1, 4), row(1, 3, 8), row(2, 2, 40)};
    const auto model = fit_baseline(Baseline::one_percentage, rows);
    CHECK(model->predict(row(1, 1, 1)) == doctest::Approx(4));
}

TEST_CASE("three planted constants come back") {
    const auto rows = planted();
    const auto model = fit_baseline(Baseline::three_constants, rows);
    for (const auto& r : rows) CHECK(model->predict(r) == doctest::Approx(r.time_s).epsilon(0.02));
}

TEST_CASE("regression per class finds a plane") {
    std::vector<BaselineRow> rows;
    for (int i = 1; i < 9; ++i)
        for (int j = 1; j < 9; ++j) rows.push_back(row(i, j, 2.0 * i + 0.5 * j + 1));
    const auto model = fit_baseline(Baseline::class_linear, rows);
    CHECK(model->predict(row(20, 30, 1)) == doctest::Approx(56).epsilon(1e-3));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("trees learn a step that no line has, and nothing from noise of zero") {
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (int i = 0; i < 100; ++i) {
        x.push_back({static_cast<double>(i), static_cast<double>(i % 7)});
        y.push_back(i < 40 ? 1 : 5);
    }
    const BoostedTrees trees(x, y);
    CHECK(trees.predict(std::vector<double>{10, 3}) == doctest::Approx(1).epsilon(0.01));
    CHECK(trees.predict(std::vector<double>{90, 3}) == doctest::Approx(5).epsilon(0.01));
    CHECK_THROWS((BoostedTrees({}, {})));
}

TEST_CASE("trees beat the three constants where they have seen the shapes") {
    const auto rows = planted();
    const auto trees = fit_baseline(Baseline::boosted_trees, rows);
    double error = 0;
    for (const auto& r : rows) error += std::abs(trees->predict(r) / r.time_s - 1);
    CHECK(error / static_cast<double>(rows.size()) < 0.05);
}

TEST_SUITE_END();
