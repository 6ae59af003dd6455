// Does a calibration choose different layers, within its budget, and the same ones each time?
#include "model/predict/cpu/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace ridge;
using namespace ridge::cpu;

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("the ends of a line are chosen before its middle") {
    std::vector<Candidate> all(5);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].cost_s = 1;
        all[i].place = {static_cast<double>(i)};
        all[i].kind = "a";
    }
    CHECK(choose_spread_out(all, 3) == std::vector<std::size_t>{0, 4, 2});
    CHECK(choose_spread_out(all, 2.5) == std::vector<std::size_t>{0, 4});
    CHECK(choose_spread_out(all, 0.5).empty());
}

TEST_CASE("every kind comes first, by its cheapest layer; no layer twice") {
    std::vector<Candidate> all;
    for (const char* line :
         {"conv:mb1ic64ih56oc64oh56kh3ph1", "conv:mb8ic64ih56oc64oh56kh3ph1",
          "pool:mb1ic64ih112oh56kh3sh2ph1", "eltwise:mb1ic64ih56", "eltwise:mb1ic64ih56"})
        all.push_back(candidate_of(parse_layer(line), 1));
    all[0].cost_s = 2;
    const auto chosen = choose_spread_out(all, 100);
    CHECK(chosen.size() == 4);  // the equal layer adds nothing
    std::set<std::string> kinds;
    for (std::size_t i = 0; i < 3; ++i) kinds.insert(all[chosen[i]].kind);
    CHECK(kinds.size() == 3);
    CHECK(std::find(chosen.begin(), chosen.begin() + 3, std::size_t{1}) != chosen.begin() + 3);
}

TEST_SUITE_END();
