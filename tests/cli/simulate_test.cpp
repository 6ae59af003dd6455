// ridge simulate as a user meets it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

Outcome simulate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    arguments.insert(arguments.end(), {"--machine", "xeon-platinum-8180"});
    return run_ridge(arguments);
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("simulate: JSON holds the closed form of a copy") {
        const auto outcome = simulate({"copy:bytes=1MiB,nt=1", "--json"});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const auto json = nlohmann::json::parse(outcome.out);
        CHECK(json["memory"]["read_bytes"] == 1048576.0);
        CHECK(json["memory"]["non_temporal_bytes"] == 1048576.0);
        CHECK(json["source"] == "simulated");
        CHECK(json["method"] == "exact");
    }

    TEST_CASE("simulate: a layer names its source, every mode answers") {
        for (const char* mode : {"exact", "periodic", "sampled", "analytic"}) {
            CAPTURE(mode);
            const auto outcome = simulate({"conv:mb2ic16ih14oc16oh14kh3ph1", "--mode", mode});
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            CHECK(outcome.out.find("not the trace of a library's kernel") != std::string::npos);
            CHECK(outcome.out.find(std::string(mode) + " mode") != std::string::npos);
        }
    }

    TEST_CASE("simulate: a saved trace gives the same bytes") {
        TemporaryFolder folder;
        const std::string trace = folder.file("t.ridge");
        const std::string layer = "conv:mb2ic16ih14oc16oh14kh3ph1";
        const auto direct = simulate({layer, "--json", "--save-trace", trace});
        const auto again = simulate({trace, "--json"});
        REQUIRE_MESSAGE(again.exit_code == 0, again.err);
        CHECK(nlohmann::json::parse(direct.out)["levels"] ==
              nlohmann::json::parse(again.out)["levels"]);
    }

    TEST_CASE("simulate: bad input is one line and exit code 2") {
        TemporaryFolder folder;
        const std::string cut = folder.file("cut");
        std::ofstream(cut) << " L 1000,8\n L 1040,8\n L 10";
        for (const auto& arguments : std::vector<std::vector<std::string>>{
                 {"nothing"},
                 {"copy:bytes=1MiB,size=3"},
                 {"copy:bytes=100"},
                 {"conv:mb2"},
                 {"conv:mb2ic16ih14oc16oh14kh3ph1", "--pass", "backward"},
                 {"stream:bytes=1MiB", "--mode", "guess"},
                 {"stream:bytes=1MiB", "--threads", "0"},
                 {"stream:bytes=1MiB", "--set", "l1.capacity=5000"},
                 {cut}}) {
            const auto outcome = simulate(arguments);
            CAPTURE(arguments.front());
            CAPTURE(outcome.err);
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.out.empty());
            CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        }
        const auto partial = simulate({cut, "--partial", "--json"});
        REQUIRE(partial.exit_code == 0);
        CHECK(nlohmann::json::parse(partial.out)["memory"]["read_bytes"] == 128.0);
        CHECK(partial.out.find("line 3") != std::string::npos);
    }
}

}  // namespace ridge::test
