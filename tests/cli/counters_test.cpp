// ridge collect --counters as a user meets it.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ridge/layer.hpp"
#include "ridge/tracer.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using nlohmann::json;

std::vector<std::string> collect(const std::string& what, const std::string& store,
                                 std::vector<std::string> more) {
    std::vector<std::string> line{
        "collect", what,      "--threads", "1",         "--budget",
        "0.5",     "--store", store,       "--machine", "xeon-platinum-8180"};
    line.insert(line.end(), more.begin(), more.end());
    return line;
}

bool is_one_line(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n') == 1;
}

bool has_value(const json& row, const std::string& counter, const std::string& source) {
    return row["counters"].contains(counter) &&
           row["counters"][counter].value("source", "") == source;
}

double value(const json& row, const std::string& counter) {
    return row["counters"][counter]["value"].get<double>();
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("counters: every row has counts with their source, or the reason why not" *
              doctest::skip(!tracer_unavailable().empty())) {
        const TemporaryFolder folder;
        const auto outcome =
            run_ridge(collect("lenet", folder.file("runs.db"), {"--counters", "traced", "--json"}),
                      {"XDG_DATA_HOME=" + folder.path()});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const json run = json::parse(outcome.out);
        CHECK(run["run"]["counters"] == "traced");
        CHECK(run["run"]["simulated_caches"].get<std::string>().find("L1 32768 bytes") !=
              std::string::npos);
        int traced = 0;
        for (const json& row : run["rows"]) {
            CAPTURE(row.dump());
            REQUIRE(row["counters"].contains("traced_share"));
            const double share = value(row, "traced_share");
            CHECK(share >= 0);
            CHECK(share <= 1);
            CHECK((share < 1) == row["counters"].contains("untraced_work"));
            if (share == 0) {  // compiled code: its bytes are reckoned, its operations not counted
                CHECK(has_value(row, "dram_read_bytes", "algorithmic"));
                CHECK(row["counters"]["PAPI_TOT_INS"].contains("unavailable"));
                continue;
            }
            ++traced;
            CHECK(has_value(row, "PAPI_TOT_INS", "traced"));
            CHECK(has_value(row, "l1_read_bytes", "traced"));
            CHECK(has_value(row, "l2_read_bytes", "simulated"));
            CHECK(has_value(row, "dram_written_bytes", "simulated"));
            // What comes from a level goes through the one before it.
            CHECK(value(row, "l2_read_bytes") >= value(row, "l3_read_bytes"));
            CHECK(value(row, "l3_read_bytes") >= value(row, "dram_read_bytes"));
            if (row["kind"] == "conv" && row["part"] == "") {
                const Layer layer = parse_layer(row["problem"].get<std::string>());
                const Pass pass = *pass_from_string(row["pass"].get<std::string>());
                CHECK(value(row, "PAPI_FP_OPS") >= useful_flops(layer, pass).value());
            }
        }
        CHECK(traced > 5);
    }

    TEST_CASE("counters: a cold layer reads each line of its tensors from memory once" *
              doctest::skip(!tracer_unavailable().empty())) {
        const TemporaryFolder folder;
        const auto outcome = run_ridge(
            collect("conv:mb1ic32ih14oc32oh14kh3ph1", folder.file("runs.db"),
                    {"--counters", "traced", "--json", "--state", "cold", "--passes", "forward"}),
            {"XDG_DATA_HOME=" + folder.path()});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const json run = json::parse(outcome.out);
        for (const json& row : run["rows"]) {
            if (row["part"] != "") continue;
            // Source, weights, bias and destination (allocated before it is written).
            const double tensors = 4.0 * (32 * 14 * 14 + 32 * 32 * 9 + 32 + 32 * 14 * 14);
            CHECK(value(row, "dram_read_bytes") >= tensors);
            CHECK(value(row, "dram_read_bytes") <= tensors * 1.05);  // and a few lines of stack
        }
    }

    TEST_CASE("counters: resume keeps what was counted and counts the rest" *
              doctest::skip(!tracer_unavailable().empty())) {
        const TemporaryFolder folder;
        const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path()};
        const std::string store = folder.file("runs.db"), file = folder.file("run.json");
        const auto whole =
            run_ridge(collect("lenet", store, {"--counters", "traced", "--json"}), environment);
        REQUIRE_MESSAGE(whole.exit_code == 0, whole.err);
        json run = json::parse(whole.out);
        run["run"]["complete"] = false;
        for (std::size_t i = 0; i < run["rows"].size(); ++i) {
            if (i < 3)
                run["rows"][i]["counters"]["PAPI_TOT_INS"] = {{"value", 4711 + i},
                                                              {"source", "traced"}};
            else
                run["rows"][i]["counters"] = json::object();
        }
        std::ofstream(file) << run.dump();
        const std::string second = folder.file("second.db");
        REQUIRE(run_ridge({"runs", "import", file, "--store", second}, environment).exit_code == 0);
        const auto resumed = run_ridge(
            collect("lenet", second, {"--counters", "traced", "--json", "--resume"}), environment);
        REQUIRE_MESSAGE(resumed.exit_code == 0, resumed.err);
        const json rows = json::parse(resumed.out)["rows"];
        REQUIRE(rows.size() == run["rows"].size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i < 3)
                CHECK(value(rows[i], "PAPI_TOT_INS") == 4711 + static_cast<double>(i));
            else
                CHECK(rows[i]["counters"].contains("traced_share"));
        }
    }

    TEST_CASE("counters: equal kernels are counted once and have equal counts" *
              doctest::skip(!tracer_unavailable().empty())) {
        const TemporaryFolder folder;
        const auto outcome =
            run_ridge(collect("resnet50", folder.file("runs.db"),
                              {"--counters", "traced", "--json", "--passes", "forward"}),
                      {"XDG_DATA_HOME=" + folder.path()});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        std::map<std::string, std::set<double>> instructions;
        int equal = 0;
        const json run = json::parse(outcome.out);
        for (const json& row : run["rows"]) {
            if (row["kind"] != "conv") continue;
            Layer layer = parse_layer(row["problem"].get<std::string>());
            layer.name.clear();
            const std::string work = to_line(layer) + row["implementation"].get<std::string>() +
                                     row["formats"].get<std::string>();
            equal += instructions.contains(work);
            instructions[work].insert(value(row, "PAPI_TOT_INS"));
        }
        CHECK(equal >= 20);  // the blocks of a stage are alike
        for (const auto& [work, counts] : instructions) CHECK(counts.size() == 1);
    }

    TEST_CASE("counters: what-if on the caches simulates the same streams again" *
              doctest::skip(!tracer_unavailable().empty())) {
        const TemporaryFolder folder;
        const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path()};
        const std::string store = folder.file("runs.db");
        // Each image takes 2.4 MB of weights: read again from L3 where L2 is small.
        const std::string layer = "conv:mb2ic256ih14oc256oh14kh3ph1";
        const auto collected =
            run_ridge(collect(layer, store,
                              {"--counters", "traced", "--state", "cold", "--passes", "forward"}),
                      environment);
        REQUIRE_MESSAGE(collected.exit_code == 0, collected.err);
        const auto bytes_of = [&](std::vector<std::string> what_if, const std::string& level) {
            std::vector<std::string> line{"explain", "--json", "--store", store};
            line.insert(line.end(), what_if.begin(), what_if.end());
            const auto outcome = run_ridge(line, environment);
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            const json explained = json::parse(outcome.out);
            for (const json& row : explained["rows"])
                for (const json& term : row["terms"])
                    if (row["part"] == "" && term["resource"] == level) {
                        CHECK(term["bytes_source"] == "simulated");
                        return term["bytes"].get<double>();
                    }
            FAIL("no term for " << level);
            return 0.0;
        };
        // The other way to the same answer: one layer, simulated without a run.
        const auto simulated = [&](std::vector<std::string> what_if) {
            std::vector<std::string> line{"simulate", layer, "--json", "--machine",
                                          "xeon-platinum-8180"};
            line.insert(line.end(), what_if.begin(), what_if.end());
            const auto outcome = run_ridge(line, environment);
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            const json traffic = json::parse(outcome.out);
            for (const json& level : traffic["levels"])
                if (level["level"] == "L2")
                    return level["read_bytes"].get<double>() + level["written_bytes"].get<double>();
            return 0.0;
        };
        const double before = bytes_of({}, "L3");
        const double after = bytes_of({"--set", "l2.capacity=0.5x"}, "L3");
        CHECK(before == doctest::Approx(simulated({})).epsilon(0.02));
        CHECK(after == doctest::Approx(simulated({"--set", "l2.capacity=0.5x"})).epsilon(0.02));
        CHECK(after > 2 * before);
        // A slower memory moves the same bytes.
        CHECK(bytes_of({"--set", "dram.bandwidth=0.5x"}, "DRAM") == bytes_of({}, "DRAM"));
    }

    TEST_CASE("counters: none leaves none, auto says in one line what it left out") {
        const TemporaryFolder folder;
        const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path()};
        const std::string store = folder.file("runs.db");
        const auto none =
            run_ridge(collect("lenet", store, {"--counters", "none", "--json"}), environment);
        REQUIRE_MESSAGE(none.exit_code == 0, none.err);
        const json run = json::parse(none.out);
        for (const json& row : run["rows"]) CHECK(row["counters"].empty());
        const auto blas =
            run_ridge(collect("lenet", store, {"--library", "openblas", "--json"}), environment);
        REQUIRE_MESSAGE(blas.exit_code == 0, blas.err);
        CHECK(blas.err.find("counters: unavailable") != std::string::npos);
    }

    TEST_CASE("counters: what was asked for by name and is not here ends in exit code 3") {
        const TemporaryFolder folder;
        const std::string store = folder.file("runs.db");
        const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path()};
        const auto blas =
            run_ridge(collect("lenet", store, {"--library", "openblas", "--counters", "traced"}),
                      environment);
        CHECK(blas.exit_code == 3);
        CHECK(is_one_line(blas.err));
        CHECK(blas.err.find("unavailable: ") != std::string::npos);
        const auto wrong = run_ridge(collect("lenet", store, {"--counters", "some"}), environment);
        CHECK(wrong.exit_code == 2);
        CHECK(is_one_line(wrong.err));
    }
}

}  // namespace ridge::test
