// ridge machine list, show and lint as a user runs them.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_ridge.hpp"

using ridge::test::run_ridge;
using ridge::test::TemporaryFolder;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool one_line(const std::string& text) {
    return !text.empty() && text.find('\n') == text.size() - 1;
}

/// A machine of two numbers, with a line of the caller's choice.
std::string machine_with(const std::string& line) {
    return "ridge_machine: 1\nname: m\ncpu: {cores: 2}\nlevels:\n"
           "  - name: L1\n    shared_by: 1\n    capacity_bytes: {value: 32768, source: given, "
           "note: x}\n" +
           line;
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("machine list names the shipped ones and says whether this machine was probed") {
        TemporaryFolder home;
        const auto outcome = run_ridge({"machine", "list"}, {"XDG_DATA_HOME=" + home.path()});
        CHECK(outcome.exit_code == 0);
        CHECK(has(outcome.out, "xeon-gold-6148-2s"));
        CHECK(has(outcome.out, "not probed yet"));
        const auto json = run_ridge({"machine", "list", "--json"});
        CHECK(nlohmann::json::parse(json.out).size() >= 2);
    }

    TEST_CASE("machine show prints every ceiling with its source, as text and as JSON") {
        const auto text = run_ridge({"machine", "show", "xeon-gold-6148-2s"});
        CHECK(text.exit_code == 0);
        CHECK(has(text.out, "2816.00"));
        CHECK(has(text.out, "given"));
        CHECK(has(text.out, "DDR4-2666"));
        const auto json =
            run_ridge({"machine", "show", "xeon-gold-6148-2s", "--json", "--set", "l2.capacity=2x"},
                      {"LC_ALL=de_DE.UTF-8"});
        const auto machine = nlohmann::json::parse(json.out);
        CHECK(machine["levels"][1]["capacity_bytes"]["value"] == 2097152);
        CHECK(machine["levels"][1]["capacity_bytes"]["source"] == "given");
        CHECK(machine["compute"][0]["flops_per_s"]["value"] == 2.24e11);
    }

    TEST_CASE("machine lint: 0 without a finding, 1 with one") {
        CHECK(run_ridge({"machine", "lint", "xeon-platinum-8180"}).exit_code == 0);
        TemporaryFolder folder;
        const auto path = folder.file("m.yaml");
        std::ofstream(path) << machine_with("");
        const auto odd = run_ridge({"machine", "lint", path});
        CHECK(odd.exit_code == 1);
        CHECK(has(odd.out, "DRAM as the last level"));
    }

    TEST_CASE("a bad machine file is one line with file, line and key, exit code 2") {
        TemporaryFolder folder;
        const auto path = folder.file("m.yaml");
        for (const std::string line :
             {"    latency_s: {value: -1, source: given}\n", "    line_byte: 64\n", "    ways: x\n",
              "    capacity_bytes: 1\n", "  broken: [\n"}) {
            std::ofstream(path) << machine_with(line);
            const auto outcome = run_ridge({"machine", "show", path});
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.out.empty());
            CHECK_MESSAGE(one_line(outcome.err), outcome.err);
            CHECK_MESSAGE(has(outcome.err, path + ":"), outcome.err);
            CHECK(has(outcome.err, "expected"));
        }
    }

    TEST_CASE("unknown machines and what-ifs are one line with what there is") {
        TemporaryFolder home;
        for (const auto& [arguments, part] :
             std::vector<std::pair<std::vector<std::string>, std::string>>{
                 {{"machine", "show", "cray-1"}, "xeon-gold-6148-2s"},
                 {{"machine", "show"}, "ridge machine probe"},
                 {{"machine", "show", "./none.yaml"}, "none.yaml"},
                 {{"machine", "show", "xeon-platinum-8180", "--set", "l9=2x"}, "l2.capacity"},
                 {{"machine", "show", "xeon-platinum-8180", "--set", "compute=fast"}, "FLOP/s"},
                 {{"machine"}, "subcommand"}}) {
            const auto outcome = run_ridge(arguments, {"XDG_DATA_HOME=" + home.path()});
            CHECK(outcome.exit_code == 2);
            CHECK_MESSAGE(one_line(outcome.err), outcome.err);
            CHECK_MESSAGE(has(outcome.err, part), outcome.err);
        }
    }
}
