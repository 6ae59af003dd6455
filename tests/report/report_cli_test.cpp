// `ridge report` as a user runs it, on stored runs: measuring has tests of its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "core/files.hpp"
#include "core/json.hpp"
#include "tests/report/stored_example.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

Outcome report(const StoredExample& example, std::vector<std::string> arguments,
               std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), "report");
    for (const auto& more :
         {std::string("--store"), example.store(), std::string("--machine"), example.machine()})
        arguments.push_back(more);
    environment.push_back(example.environment());
    return run_ridge(arguments, environment);
}

void check_refused(const Outcome& outcome, int code, const std::string& says) {
    CHECK(outcome.exit_code == code);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
    CHECK_MESSAGE(outcome.err.find(says) != std::string::npos, outcome.err);
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("a report of a stored run: the page, the data, and one screen of summary") {
        StoredExample example;
        const auto id = example.add(example_measured_run("alexnet", 8, 1, "onednn"));
        const std::string page = example.file("r.html"), json = example.file("r.json");
        const auto outcome =
            report(example, {"--run", std::to_string(id), "--output", page, "--json", json});
        CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
        for (const std::string what :
             {"alexnet, batch 8", "Convolution takes", "between", "saved", "r.html", "r.json"})
            CHECK_MESSAGE(outcome.out.find(what) != std::string::npos, what);
        CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') <= 40);
        CHECK(outcome.out.find('\x1b') == std::string::npos);
        const std::string html = read_file(page);
        CHECK(html.find("conv2") != std::string::npos);
        CHECK(html.find("ridge report &#39;alexnet&#39; --batch 8 --threads 1") !=
              std::string::npos);
        const Json data = Json::parse(read_file(json));
        CHECK(data.dump().find("conv2") != std::string::npos);
    }

    TEST_CASE("runs of the same network with another library or thread count stand beside it") {
        StoredExample example;
        const auto id = example.add(example_measured_run("alexnet", 8, 1, "onednn"));
        const std::string page = example.file("r.html");
        const std::vector<std::string> arguments{"--run", std::to_string(id), "--output", page};
        CHECK(report(example, arguments).exit_code == 0);
        CHECK(read_file(page).find("Scaling over threads") == std::string::npos);
        example.add(example_measured_run("alexnet", 8, 1, "openblas"));
        example.add(example_measured_run("alexnet", 8, 2, "onednn"));
        example.add(example_measured_run("alexnet", 4, 2, "onednn"));
        CHECK(report(example, arguments).exit_code == 0);
        const std::string html = read_file(page);
        CHECK(html.find("Beside another library") != std::string::npos);
        CHECK(html.find(">2.50<") != std::string::npos);
        CHECK(html.find("Scaling over threads") != std::string::npos);
        CHECK(html.find("speed-up at 2") != std::string::npos);
    }

    TEST_CASE("G1: a locale with a decimal comma changes nothing") {
        StoredExample example;
        const auto id = example.add(example_measured_run("lenet", 4, 1, "onednn"));
        const std::string page = example.file("r.html");
        const std::vector<std::string> arguments{"--run", std::to_string(id), "--output", page};
        const auto plain = report(example, arguments, {"LC_ALL=C"});
        const std::string html = read_file(page);
        const auto german = report(example, arguments, {"LC_ALL=de_DE.UTF-8"});
        CHECK(plain.out == german.out);
        CHECK(read_file(page) == html);
    }

    TEST_CASE("without Chart.js the report is written and says what is missing") {
        StoredExample example;
        const auto id = example.add(example_measured_run("lenet", 4, 1, "onednn"));
        const std::string page = example.file("r.html");
        const auto outcome = report(example, {"--run", std::to_string(id), "--output", page},
                                    {"RIDGE_CHART_JS=" + example.file("none.js")});
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.out.find("libjs-chart.js") != std::string::npos);
        CHECK(read_file(page).find("No chart") != std::string::npos);
    }

    TEST_CASE("what cannot succeed is refused before anything is measured") {
        StoredExample example;
        const std::string page = example.file("r.html");
        // With a budget of minutes these would take minutes if they were found out late.
        check_refused(report(example, {"alexnet", "--output", example.file("no/such/r.html")}), 2,
                      "no/such");
        check_refused(report(example, {"alexnet", "-o", page, "--json", "/proc/none/x.json"}), 2,
                      "/proc/none");
        check_refused(report(example, {"alexnet", "-o", page, "--set", "dram.bandwith=2x"}), 2,
                      "dram.bandwith");
        check_refused(report(example, {"alexnet", "-o", page, "--dtype", "f33"}), 2, "--dtype");
        check_refused(report(example, {"alexnet", "-o", page, "--state", "tepid"}), 2, "--state");
        check_refused(report(example, {"alexnett", "-o", page}), 2, "alexnett");
        check_refused(report(example, {"conv:mb1ic0ih5oc4oh5kh1", "-o", page}), 2, "ic");
        check_refused(report(example, {"alexnet", "-o", page, "--batch", "0"}), 2, "batch");
        check_refused(report(example, {"alexnet", "-o", page, "--threads", "100000"}), 2,
                      "threads");
        check_refused(report(example, {"alexnet", "-o", page, "--threads", "0"}), 2, "--threads");
        check_refused(report(example, {"alexnet", "-o", page, "--budget", "inf"}), 2, "--budget");
        check_refused(report(example, {"alexnet", "-o", page, "--json", page}), 2, "--json");
        check_refused(report(example, {"-o", page}), 2, "--run");
        check_refused(report(example, {"--run", "12", "-o", page}), 2, "");
        CHECK_FALSE(std::filesystem::exists(page));
    }
}
