// Does a prediction say what it is made of, how sure it is, and what it was not calibrated for?
#include "model/predict/cpu/predictor.hpp"

#include <doctest/doctest.h>

#include "model/predict/cpu/analytic_demand.hpp"
#include "tests/predict/machines.hpp"

using namespace ridge;
using namespace ridge::cpu;

namespace {

Calibration calibration() {
    Calibration c = prior_calibration();
    c.machine = "round";
    c.batch = {1, 16};
    c.threads = {1, 2};
    for (FamilyModel& family : c.family) {
        family.flops = {1, 1e12};
        family.footprint_bytes = {1, 1e12};
        family.residuals = {-0.1, 0.1, 100};
    }
    return c;
}

Prediction predict(const char* line, Pass pass, const Machine& machine, const Calibration& c) {
    const Layer layer = parse_layer(line);
    return Predictor(machine, c, 1, CacheState::warm)
        .predict(layer, pass, analytic_demand(layer, pass, cache_sizes(machine), 1));
}

}  // namespace

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("contributions add up to the time and the longest is the binding one") {
    for (const char* line : {"conv:mb4ic64ih28oc64oh28kh3ph1", "eltwise:mb64ic64ih112",
                             "pool:mb2ic64ih112oh56kh3sh2ph1", "ip:mb2ic4096oc4096"}) {
        const Prediction p = predict(line, Pass::forward, test::round_machine(), calibration());
        double sum = 0;
        for (const PredictionTerm& term : p.terms) sum += term.contribution.value();
        CHECK(sum == doctest::Approx(p.time.value()));
        CHECK(p.binding == p.terms.front().resource);
        CHECK(p.low < p.time);
        CHECK(p.time < p.high);
    }
}

TEST_CASE("half the peak doubles a layer bound by it, half the memory bandwidth another") {
    const char* compute = "conv:mb4ic256ih14oc256oh14kh3ph1";
    const char* memory = "eltwise:mb64ic64ih112";
    const Machine normal = test::round_machine();
    Machine slow_core = normal, slow_memory = normal;
    for (auto& c : slow_core.compute) c.flops_per_s.value /= 2;
    for (auto& b : slow_memory.levels.back().bandwidths) b.bytes_per_s.value /= 2;
    const Calibration c = calibration();
    const auto ratio = [&](const char* line, const Machine& m) {
        return predict(line, Pass::forward, m, c).time.value() /
               predict(line, Pass::forward, normal, c).time.value();
    };
    CHECK(ratio(compute, slow_core) > 1.7);
    CHECK(ratio(compute, slow_memory) < 1.1);
    CHECK(ratio(memory, slow_memory) > 1.5);
    CHECK(ratio(memory, slow_core) < 1.1);
    CHECK(predict(compute, Pass::forward, normal, c).binding == "FMA");
    CHECK(predict(memory, Pass::forward, normal, c).binding.starts_with("DRAM"));
}

TEST_CASE("outside the calibrated range the interval widens and says which dimension left it") {
    const Calibration c = [] {
        Calibration known = calibration();
        known.classes["conv direct forward"] = {};
        return known;
    }();
    const Prediction inside =
        predict("conv:mb16ic64ih28oc64oh28kh3ph1", Pass::forward, test::round_machine(), c);
    const Prediction outside =
        predict("conv:mb32ic64ih28oc64oh28kh3ph1", Pass::forward, test::round_machine(), c);
    CHECK(inside.out_of_range.empty());
    REQUIRE(outside.out_of_range.size() == 1);
    CHECK(outside.out_of_range.front().dimension == "batch");
    CHECK(outside.high.value() / outside.time.value() > inside.high.value() / inside.time.value());
    Machine other = test::round_machine();
    other.name = "other";
    CHECK(predict("conv:mb16ic64ih28oc64oh28kh3ph1", Pass::forward, other, c)
              .out_of_range.front()
              .dimension == "machine");
}

TEST_SUITE_END();
