// JSON of an analysis: units in keys, sources beside numbers, null with a reason, never NaN.

#include "model/explain/json.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "model/machine/machine_json.hpp"
#include "tests/machine/small_machine.hpp"
#include "tests/roofline/synthetic.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

void for_each_value(const Json& json, const std::function<void(const Json&)>& visit) {
    visit(json);
    if (json.is_structured())
        for (const auto& child : json) for_each_value(child, visit);
}

RunAnalysis example() {
    RunAnalysis analysis;
    analysis.machine = "example";
    analysis.roofline = golden_roofline();
    analysis.roofline.bandwidth.push_back(bandwidth_roof("no capacity", 1e9));
    analysis.rows.push_back(analyse(row(25e-3), demand(1e9, {{"DRAM", 2e9}}), golden_roofline()));
    analysis.rows.push_back(analyse(row(1e-3, LayerKind::reorder, "jit:uni"),
                                    demand(0, {{"DRAM", 8e7}}), golden_roofline()));
    analysis.rows.push_back(analyse(row(2e-3), demand(1e9, {}), golden_roofline()));
    analysis.rows.push_back(analyse(row(0), demand(1e9, {{"DRAM", 1e9}}), golden_roofline()));
    return analysis;
}

}  // namespace

TEST_SUITE("behaviour") {
    // F3, G6
    TEST_CASE("what is not defined is null with the reason") {
        const auto json = to_json(example());
        CHECK(json["rows"][0]["intensity_flops_per_byte"] == doctest::Approx(0.5));
        CHECK_FALSE(json["rows"][0].contains("intensity_unavailable"));
        CHECK(json["rows"][1]["intensity_flops_per_byte"].is_null());
        CHECK(json["rows"][1]["intensity_unavailable"] == "this kind of layer has no arithmetic");
        CHECK(json["rows"][1]["rate_flops_per_s"].is_null());
        CHECK(json["rows"][1]["traffic_bytes_per_s"] == doctest::Approx(80e9));
        CHECK(json["rows"][2]["intensity_unavailable"] == "no bytes are known for this row");
        CHECK(json["rows"][3]["intensity_unavailable"] == "the row was not measured");
        CHECK(json["step"].is_null());
        CHECK(json.contains("step_unavailable"));
        CHECK(json["roofline"]["call_overhead_s"].is_null());
        const std::string text = json.dump();
        for (const char* wrong : {"nan", "inf", "NaN", "Infinity"})
            CHECK(text.find(wrong) == std::string::npos);
    }

    TEST_CASE("every number that was not computed here says how it was obtained") {
        const auto json = to_json(example());
        const auto& first = json["rows"][0];
        CHECK(first["time"]["source"] == "measured");
        CHECK(first["useful_flops_source"] == "algorithmic");
        CHECK(first["bytes_source"] == "algorithmic");
        CHECK(first["executed_flops"]["unavailable"] == "not counted in this run");
        CHECK(json["roofline"]["compute"][0]["source"] == "measured");
    }

    TEST_CASE("only the rows asked for, in that order") {
        const auto json = to_json(example(), {1, 0});
        CHECK(json["rows"].size() == 2);
        CHECK(json["rows"][0]["kind"] == "reorder");
    }

    TEST_CASE("a machine's figures keep their source, spread and note") {
        const auto json = to_json(small_machine());
        const auto& ceiling = json["compute"][1];
        CHECK(ceiling["flops_per_s"]["value"] == 100e9);
        CHECK(ceiling["flops_per_s"]["source"] == "measured");
        CHECK(ceiling["flops_per_s"]["spread"] == 0.0125);
        CHECK(json["levels"][0]["latency_s"]["spread"].is_null());
        CHECK(json["levels"][3]["ways"].is_null());
        int figures = 0;
        for_each_value(json, [&](const Json& value) {
            if (!value.is_object() || !value.contains("value")) return;
            ++figures;
            CHECK(value.contains("source"));
        });
        CHECK(figures > 20);
    }
}
