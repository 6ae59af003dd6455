#include "core/json.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/core/example_run.hpp"
#include "tests/core/expect_error.hpp"

using namespace ridge;
using ridge::test::expect_error;

namespace {

JsonReader read(const Json& json) {
    return {json.dump(), "x.json"};
}

/// No key of the document may hide its unit: a number with a fraction or a time has one.
void check_finite(const Json& json) {
    if (json.is_structured())
        for (const auto& value : json) check_finite(value);
    if (json.is_number_float()) CHECK(std::isfinite(json.get<double>()));
}

}  // namespace

TEST_SUITE("smoke") {
    TEST_CASE("everything a run holds reads back equal") {
        test::check_equal(run_info_from_json(read(to_json(test::example_info()))),
                          test::example_info());
        for (int i = 0; i < 3; ++i) {
            test::check_equal(measurement_from_json(read(to_json(test::example_row(i)))),
                              test::example_row(i));
            test::check_equal(sample_from_json(read(to_json(test::example_samples(i, 1)[0]))),
                              test::example_samples(i, 1)[0]);
        }
        test::check_equal(step_time_from_json(read(to_json(test::example_step()))),
                          test::example_step());
    }

    TEST_CASE("keys carry their units, values their source") {
        const Json row = to_json(test::example_row(0));
        CHECK(row["time"]["time_s"] == 1e-3);
        CHECK(row["time"]["source"] == "measured");
        CHECK(row["scratchpad_bytes"] == 4096);
        CHECK(row["counters"]["PAPI_TOT_INS"]["source"] == "measured");
        CHECK(to_json(test::example_info())["quiet_fma_flops_per_s"] == 178e9);
        const Json run = to_json(Run{test::example_info(), {test::example_row(0)}, std::nullopt});
        CHECK(run["rows"].size() == 1);
        CHECK(run["step"].is_null());
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("G6: no NaN or infinity, null with the reason instead") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        CHECK(json_number(nan).dump() == "null");
        CHECK(json_number(-inf).dump() == "null");
        const Json none = to_json(Reading::unavailable("no PMU"));
        CHECK(none.dump() == R"({"value":null,"unavailable":"no PMU"})");

        Measurement row = test::example_row(0);
        row.time = {};
        row.creation = Seconds(inf);
        check_finite(to_json(row));
        CHECK(to_json(row)["time"]["time_s"].is_null());
        CHECK(to_json(row)["time"]["unavailable"] == "not summarised yet");
        row.creation.reset();
        test::check_equal(measurement_from_json(read(to_json(row))), row);

        RunInfo info = test::example_info();
        info.quiet_fma = {};
        CHECK(to_json(info)["quiet_fma_flops_per_s"].is_null());
        CHECK(run_info_from_json(read(to_json(info))).quiet_fma == FlopsPerSecond(0));
    }

    TEST_CASE("errors name the document, the key, what was expected and what was found") {
        Json row = to_json(test::example_row(0));
        const auto broken = [&](const char* pointer, const Json& value) {
            Json copy = row;
            copy[nlohmann::json_pointer<std::string>(pointer)] = value;
            return copy;
        };
        const auto parse = [](const Json& json) { (void)measurement_from_json(read(json)); };
        expect_error(ExitCode::bad_input, {"x.json: time.time_s", "a number", "\"1 ms\""},
                     [&] { parse(broken("/time/time_s", "1 ms")); });
        expect_error(ExitCode::bad_input, {"x.json: time.time_s", "-1"},
                     [&] { parse(broken("/time/time_s", -1)); });
        expect_error(ExitCode::bad_input, {"x.json: time.quiet_samples", "to 12", "13"},
                     [&] { parse(broken("/time/quiet_samples", 13)); });
        expect_error(ExitCode::bad_input, {"x.json: pass", "forward", "\"sideways\""},
                     [&] { parse(broken("/pass", "sideways")); });
        expect_error(ExitCode::bad_input, {"x.json: ordinal", "whole number", "1.5"},
                     [&] { parse(broken("/ordinal", 1.5)); });
        expect_error(ExitCode::bad_input, {"x.json: layer", "text", "a list"},
                     [&] { parse(broken("/layer", Json::array())); });
        expect_error(ExitCode::bad_input, {"x.json: creation_ms", "such as 'creation_s'"},
                     [&] { parse(broken("/creation_ms", 5)); });
        expect_error(ExitCode::bad_input, {"x.json: counters.l2_bytes.source", "\"guessed\""}, [&] {
            parse(broken("/counters/l2_bytes", {{"value", 1}, {"source", "guessed"}}));
        });
        Json without = row;
        without.erase("problem");
        expect_error(ExitCode::bad_input, {"x.json", "the key 'problem'", "none"},
                     [&] { parse(without); });
        Json info = to_json(test::example_info());
        info["started_at"] = "yesterday";
        expect_error(ExitCode::bad_input, {"x.json: started_at", "UTC", "yesterday"},
                     [&] { (void)run_info_from_json(read(info)); });
        info = to_json(test::example_info());
        info["environment"]["cpus"][1] = -1;
        expect_error(ExitCode::bad_input, {"x.json: environment.cpus[1]", "-1"},
                     [&] { (void)run_info_from_json(read(info)); });
    }

    TEST_CASE("text that is not JSON is named with line and column") {
        expect_error(ExitCode::bad_input, {"x.json:3:8", "JSON"},
                     [] { JsonReader("{\n\"a\": 1,\n  \"b\": ]\n}", "x.json"); });
        expect_error(ExitCode::bad_input, {"x.json:1:", "JSON"}, [] { JsonReader("", "x.json"); });
        expect_error(ExitCode::bad_input, {"x.json", "once", "'a' twice"},
                     [] { JsonReader(R"({"a": 1, "b": {"a": 2}, "a": 3})", "x.json"); });
        expect_error(ExitCode::bad_input, {"x.json", "1.8e308"},
                     [] { JsonReader("1e999", "x.json"); });
        expect_error(ExitCode::bad_input, {"x.json:1:"}, [] { JsonReader("NaN", "x.json"); });
        expect_error(ExitCode::bad_input, {"x.json"},
                     [] { JsonReader(std::string(1'000'000, '['), "x.json"); });
        expect_error(ExitCode::bad_input, {"whole number"}, [] {
            (void)JsonReader("18446744073709551615", "x.json").integer(0, INT64_MAX);
        });
    }
}
