// `ridge plot` as a user runs it.
#include <doctest/doctest.h>

#include <filesystem>

#include "core/files.hpp"
#include "tests/report/stored_example.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Runs `ridge plot` on the example's store and machine.
Outcome plot(const StoredExample& example, std::vector<std::string> arguments,
             std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), "plot");
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
    TEST_CASE("ridge plot draws the newest run in the format that the name asks for") {
        StoredExample example;
        example.add(example_measured_run("alexnet", 8, 1, "onednn"));
        for (const auto& [name, start] : {std::pair<std::string, std::string>{"a.svg", "<?xml"},
                                          {"a.png", "\x89PNG"},
                                          {"a.pdf", "%PDF"},
                                          {"a.html", "<!DOCTYPE html>"}})
            for (const std::string kind : {"roofline", "layers"}) {
                const auto outcome = plot(example, {kind, "--output", example.file(name)});
                CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
                CHECK(read_file(example.file(name)).starts_with(start));
            }
        const std::string page = read_file(example.file("a.html"));
        CHECK(page.find("conv2") != std::string::npos);
    }

    TEST_CASE("a run is named by number, network or layer, and what-if moves the roofs") {
        StoredExample example;
        const auto first = example.add(example_measured_run("lenet", 4, 1, "onednn"));
        example.add(example_measured_run("alexnet", 8, 1, "onednn"));
        const std::string file = example.file("x.html");
        const auto drawn = [&](const std::vector<std::string>& target) {
            std::vector<std::string> arguments{"roofline", "--output", file};
            arguments.insert(arguments.begin() + 1, target.begin(), target.end());
            const auto outcome = plot(example, arguments);
            CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
            return read_file(file);
        };
        CHECK(drawn({}).find("alexnet, batch 8") != std::string::npos);
        CHECK(drawn({"lenet"}).find("lenet, batch 4") != std::string::npos);
        CHECK(drawn({std::to_string(first)}).find("lenet, batch 4") != std::string::npos);
        CHECK(drawn({"--run", std::to_string(first)}).find("lenet, batch 4") != std::string::npos);
        const std::string layer = drawn({"alexnet"});
        CHECK(layer.find("DRAM 15.0 GB/s") != std::string::npos);
        CHECK(drawn({"--set", "dram.bandwidth=2x"}).find("DRAM 30.0 GB/s") != std::string::npos);
        const std::string one = drawn({"conv2"});
        CHECK(one.find("\"conv2 · forward\"") != std::string::npos);
        CHECK(one.find("\"conv3 · forward\"") == std::string::npos);
    }

    TEST_CASE("--simulate puts every row at its bytes of each level") {
        StoredExample example;
        example.add(example_measured_run("lenet", 4, 1, "onednn"));
        const std::string file = example.file("x.html");
        const auto outcome = plot(example, {"roofline", "lenet", "--simulate", "-o", file});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const std::string page = read_file(file);
        for (const std::string text :
             {"L2 (simulated bytes)", "DRAM (simulated bytes)", "loops of a plain direct"})
            CHECK_MESSAGE(page.find(text) != std::string::npos, text);
        check_refused(plot(example, {"layers", "--simulate", "-o", file}), 2, "--simulate");
    }

    TEST_CASE("without gnuplot svg is refused before anything is read, html still works") {
        StoredExample example;
        example.add(example_measured_run("lenet", 1, 1, "onednn"));
        const std::string no_programs = "PATH=" + example.file("nothing");
        check_refused(plot(example, {"layers", "-o", example.file("x.svg")}, {no_programs}), 3,
                      "gnuplot-nox");
        CHECK(plot(example, {"layers", "-o", example.file("x.html")}, {no_programs}).exit_code ==
              0);
        check_refused(plot(example, {"layers", "-o", example.file("y.html")},
                           {"RIDGE_CHART_JS=" + example.file("nothing")}),
                      3, "libjs-chart.js");
        CHECK_FALSE(std::filesystem::exists(example.file("y.html")));
    }

    TEST_CASE("bad input is one line that names what is wrong") {
        StoredExample example;
        example.add(example_measured_run("lenet", 1, 1, "onednn"));
        const std::string svg = example.file("x.svg");
        check_refused(plot(example, {"sunburst", "-o", svg}), 2, "roofline or layers");
        check_refused(plot(example, {"layers", "-o", example.file("x.bmp")}), 2, ".svg");
        check_refused(plot(example, {"layers", "-o", example.file("no/such/x.svg")}), 2, "no/such");
        check_refused(plot(example, {"layers", "vgg16", "-o", svg}), 2, "vgg16");
        check_refused(plot(example, {"layers", "--run", "99", "-o", svg}), 2, "99");
        check_refused(plot(example, {"layers", "--set", "dram.bandwith=2x", "-o", svg}), 2,
                      "dram.bandwith");
        check_refused(plot(example, {"layers"}), 2, "--output");
        check_refused(run_ridge({"plot", "layers", "-o", svg, "--store", example.file("none.db")},
                                {example.environment()}),
                      2, "none.db");
        CHECK_FALSE(std::filesystem::exists(svg));
        CHECK_FALSE(std::filesystem::exists(example.file("none.db")));
    }
}
