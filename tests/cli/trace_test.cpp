// ridge trace as a user meets it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "ridge/tracer.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

constexpr const char* layer = "conv:mb1ic32ih14oc32oh14kh3ph1";

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("trace: counts name their source, and every line of the tensors is touched" *
              doctest::skip(!tracer_unavailable().empty())) {
        const auto outcome = run_ridge({"trace", layer, "--pass", "forward", "--json"});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const auto row = nlohmann::json::parse(outcome.out)["rows"][0];
        CHECK(row["counts"]["source"] == "traced");
        // 2 x 32 x 32 x (14 x 3 - 2)^2 taps inside the image, at the least.
        CHECK(row["useful_flops"] == 2.0 * 32 * 32 * 40 * 40);
        CHECK(row["counts"]["flops"]["all"] >= row["useful_flops"]);
        CHECK_FALSE(row.contains("incomplete"));
        double difference = 0;
        for (const auto& part : row["difference"]) difference += part["flops"].get<double>();
        CHECK(row["counts"]["flops"]["all"].get<double>() ==
              row["useful_flops"].get<double>() + difference);
    }

    TEST_CASE("trace: the saved stream simulates as the traced one does" *
              doctest::skip(!tracer_unavailable().empty())) {
        TemporaryFolder folder;
        const std::string file = folder.file("t.ridge");
        const auto traced = run_ridge({"trace", layer, "--pass", "forward", "--save", file});
        REQUIRE_MESSAGE(traced.exit_code == 0, traced.err);
        const auto simulate = [](const std::string& what) {
            const auto outcome =
                run_ridge({"simulate", what, "--machine", "xeon-platinum-8180", "--json"});
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            return nlohmann::json::parse(outcome.out);
        };
        const auto saved = simulate(file), direct = simulate(layer);
        CHECK(direct.dump().find("traced stream") != std::string::npos);
        // Tensors lie at the same addresses; the stack of the two programs does not.
        CHECK(saved["memory"]["read_bytes"].get<double>() ==
              doctest::Approx(direct["memory"]["read_bytes"].get<double>()).epsilon(0.01));
    }

    TEST_CASE("trace: without a decoder or on another processor, one line and exit code 3" *
              doctest::skip(tracer_unavailable().empty())) {
        const auto outcome = run_ridge({"trace", layer});
        CHECK(outcome.exit_code == 3);
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }

    TEST_CASE("trace: bad input is one line and exit code 2" *
              doctest::skip(!tracer_unavailable().empty())) {
        for (const auto& arguments :
             std::vector<std::vector<std::string>>{{"trace", "nothing"},
                                                   {"trace", layer, "--pass", "sideways"},
                                                   {"trace", layer, "--pass", "backward"},
                                                   {"trace", layer, "--dtype", "s8"},
                                                   {"trace", layer, "--save", "somewhere"}}) {
            const auto outcome = run_ridge(arguments);
            CAPTURE(outcome.err);
            CHECK(outcome.exit_code == 2);
            CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        }
    }
}

}  // namespace ridge::test
