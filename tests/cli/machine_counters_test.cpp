// Hardware counters as a user meets them, on whatever machine the tests run.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/run_ridge.hpp"

using ridge::test::run_ridge;
using ridge::test::TemporaryFolder;

namespace {

nlohmann::json counters_here() {
    const auto outcome = run_ridge({"machine", "counters", "--json"});
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("machine counters lists every quantity with its formula, or says why there is none") {
        const auto json = counters_here();
        const std::string reason = json["unavailable"];
        CHECK(reason.find('\n') == std::string::npos);
        bool any = false;
        for (const auto& one : json["quantities"]) {
            CHECK(!one["name"].get<std::string>().empty());
            CHECK(!one["source"].get<std::string>().empty());
            any = any || !one.contains("unavailable");
        }
        CHECK(any == reason.empty());
        const auto text = run_ridge({"machine", "counters"});
        CHECK(text.exit_code == 0);
        CHECK((text.out.find("unavailable: " + reason) != std::string::npos) == !reason.empty());
    }

    TEST_CASE("collect --counters hardware ends with 3 and the remedy where there are none") {
        const std::string reason = counters_here()["unavailable"];
        TemporaryFolder home;
        if (reason.empty()) {
            MESSAGE("this machine has counters: the refusal is not tested here");
            return;
        }
        const auto outcome =
            run_ridge({"collect", "alexnet", "--counters", "hardware", "--store", home.file("s")},
                      {"XDG_DATA_HOME=" + home.path()});
        CHECK(outcome.exit_code == 3);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.find(reason) != std::string::npos);
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }

    TEST_CASE("an unknown word behind --counters is bad input") {
        const auto outcome = run_ridge({"collect", "alexnet", "--counters", "some"});
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.err.find("'some'") != std::string::npos);
    }
}
