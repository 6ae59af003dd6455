// The estimator on series whose undisturbed level is known.
#include "collectors/probe/top_cluster.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using ridge::probe::top_cluster;
using ridge::probe::WindowSample;

namespace {

std::vector<WindowSample> series(const std::vector<double>& rates) {
    std::vector<WindowSample> samples;
    for (std::size_t i = 0; i < rates.size(); ++i)
        samples.push_back({rates[i], static_cast<int>(i), 0});
    return samples;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("nothing measured is nothing") {
        CHECK_FALSE(top_cluster({}).has_value());
    }

    TEST_CASE("the median of the highest three that agree within 1 %") {
        const auto cluster = top_cluster(series({60, 100, 99.5, 70, 99.2, 61, 60.5, 60.2, 60.1}));
        REQUIRE(cluster);
        CHECK(cluster->accepted);
        CHECK(cluster->rate == 99.5);
        CHECK(cluster->members.size() == 3);
        CHECK(cluster->spread == doctest::Approx(0.8 / 99.5));
    }

    TEST_CASE("one window that is too good does not count") {
        const auto cluster = top_cluster(series({140, 100, 99.9, 99.8, 60, 60, 60, 60}));
        REQUIRE(cluster);
        CHECK(cluster->accepted);
        CHECK(cluster->rate == doctest::Approx(99.9));
    }

    TEST_CASE("a crowded low level does not win over a confirmed high one") {
        std::vector<double> rates(1000, 60.0);
        rates.insert(rates.end(), {100, 99.9, 99.8});
        CHECK(top_cluster(series(rates))->rate == doctest::Approx(99.9));
    }

    TEST_CASE("neighbours of a single visit do not confirm each other") {
        std::vector<WindowSample> samples{{100, 7, 0}, {99.9, 7, 0}, {99.8, 7, 0},
                                          {80, 1, 0},  {80, 2, 0},   {80, 3, 0}};
        CHECK(top_cluster(samples)->rate == 80);
        samples.push_back({99.7, 8, 0});
        CHECK(top_cluster(samples)->rate == doctest::Approx(99.85));
    }

    TEST_CASE("without agreement the best windows stand, not accepted, with their spread") {
        const auto cluster = top_cluster(series({100, 90, 80, 70}));
        REQUIRE(cluster);
        CHECK_FALSE(cluster->accepted);
        CHECK(cluster->rate == 90);
        CHECK(cluster->spread == doctest::Approx(20.0 / 90));
        CHECK(cluster->members.size() == 3);
    }

    TEST_CASE("what was measured beside a window comes from the members") {
        const std::vector<WindowSample> samples{
            {100, 0, 3.7}, {99.9, 1, 3.6}, {99.8, 2, 3.5}, {50, 3, 1.0}, {50, 4, 1.0}};
        CHECK(top_cluster(samples)->highest_aux() == 3.7);
        CHECK(top_cluster(samples)->lowest_aux() == 3.5);
    }

    TEST_CASE("a machine that is quiet one window in twenty is found within 1 %") {
        // Level 1 when quiet, 0.55 to 0.9 when disturbed, 0.2 % of jitter downwards.
        std::mt19937 random(7);
        std::uniform_real_distribution<double> unit(0, 1);
        std::vector<WindowSample> samples;
        for (int i = 0; i < 400; ++i) {
            const double level = unit(random) < 0.05 ? 1.0 : 0.55 + 0.35 * unit(random);
            samples.push_back({level * (1 - 0.002 * unit(random)), i, 0});
        }
        const auto cluster = top_cluster(samples);
        CHECK(cluster->accepted);
        CHECK(cluster->rate == doctest::Approx(1.0).epsilon(0.01));
    }
}
