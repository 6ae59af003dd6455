// `ridge explain` as a user runs it.

#include <doctest/doctest.h>

#include <filesystem>

#include <fstream>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ridge/counter_names.hpp"
#include "ridge/format.hpp"
#include "ridge/kept_caches.hpp"
#include "tests/report/stored_example.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

Outcome explain(const StoredExample& example, std::vector<std::string> arguments,
                std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), "explain");
    for (const auto& more : {std::string("--store"), example.store()}) arguments.push_back(more);
    if (std::find(arguments.begin(), arguments.end(), "--machine") == arguments.end())
        for (const auto& more : {std::string("--machine"), example.machine()})
            arguments.push_back(more);
    environment.push_back(example.environment());
    return run_ridge(arguments, environment);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void check_refused(const Outcome& outcome, const std::string& says) {
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
    CHECK_MESSAGE(has(outcome.err, says), outcome.err);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("explain prints the summary, every row and a verdict for each") {
        StoredExample example;
        const Run run = example_measured_run("alexnet", 8, 1, "onednn");
        example.add(run);
        const auto outcome = explain(example, {"alexnet"});
        CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
        for (const char* part :
             {"alexnet, batch 8", "Convolution takes", "What bounds the time", "Roofs: AVX-512 FMA",
              "conv2 · backward_weights", "saved at the roof", "algorithmic"})
            CHECK_MESSAGE(has(outcome.out, part), part);
        std::size_t verdicts = 0;
        for (const auto& line : lines_of(outcome.out)) verdicts += has(line, "; next ");
        CHECK(verdicts == run.rows.size());
        CHECK_FALSE(has(outcome.out, "\x1b["));  // not a terminal
    }

    TEST_CASE("colour: always on demand, never with NO_COLOR unless demanded") {
        StoredExample example;
        example.add(example_measured_run("lenet", 4, 1, "onednn"));
        CHECK(has(explain(example, {"--color", "always"}).out, "\x1b["));
        CHECK_FALSE(has(explain(example, {"--color", "never"}).out, "\x1b["));
        CHECK_FALSE(has(explain(example, {}, {"NO_COLOR=1"}).out, "\x1b["));
        check_refused(explain(example, {"--color", "mauve"}), "mauve");
    }

    TEST_CASE("JSON has what the text has, with units, whatever the locale") {
        StoredExample example;
        const auto id = example.add(example_measured_run("lenet", 4, 1, "onednn"));
        const auto outcome = explain(example, {"--json"}, {"LC_ALL=de_DE.UTF-8"});
        CHECK(outcome.exit_code == 0);
        const auto json = nlohmann::json::parse(outcome.out);
        CHECK(json["run"]["id"] == id);
        CHECK(json["rows"].size() > 10);
        double sum_s = 0, shares = 0;
        for (const auto& row : json["rows"]) {
            sum_s += row["time"]["time_s"].get<double>();
            shares += row["share_of_step"].get<double>();
            CHECK(row["verdict"].get<std::string>().size() > 20);
        }
        CHECK(json["sum_of_rows_s"].get<double>() == doctest::Approx(sum_s));
        CHECK(shares == doctest::Approx(1));
        const auto text = explain(example, {});
        for (const auto& finding : json["findings"])
            CHECK_MESSAGE(has(text.out, finding.get<std::string>()), finding);
    }

    TEST_CASE("rows are chosen and sorted alike in text, JSON and CSV") {
        StoredExample example;
        example.add(example_measured_run("alexnet", 8, 1, "onednn"));
        const auto json = nlohmann::json::parse(
            explain(example, {"--sort", "saving", "--top", "3", "--json"}).out);
        CHECK(json["rows"].size() == 3);
        CHECK(json["rows"][0]["saved_at_roof_s"] >= json["rows"][1]["saved_at_roof_s"]);
        CHECK(json["rows"][1]["saved_at_roof_s"] >= json["rows"][2]["saved_at_roof_s"]);
        const auto csv =
            lines_of(explain(example, {"--sort", "saving", "--top", "3", "--csv"}).out);
        REQUIRE(csv.size() == 4);
        for (int i = 0; i < 3; ++i)
            CHECK(csv[static_cast<std::size_t>(i) + 1].starts_with(
                json["rows"][i]["layer"].get<std::string>()));
        const auto layer = nlohmann::json::parse(explain(example, {"conv3", "--json"}).out);
        CHECK(layer["rows"].size() == 4);
        for (const auto& row : layer["rows"]) CHECK(row["layer"] == "conv3");
    }

    TEST_CASE("what-if: twice the compute halves the least time of a compute-bound row") {
        StoredExample example;
        example.add(example_measured_run("alexnet", 8, 1, "onednn"));
        const auto row_of = [&](std::vector<std::string> more) {
            more.insert(more.begin(), {"conv3", "--json"});
            return nlohmann::json::parse(explain(example, more).out)["rows"][0];
        };
        const auto before = row_of({}), after = row_of({"--set", "compute=2x"});
        REQUIRE(before["bound"] == "compute");
        CHECK(after["attained_share_of_roof"].get<double>() ==
              doctest::Approx(before["attained_share_of_roof"].get<double>() / 2));
        CHECK(after["time"]["time_s"] == before["time"]["time_s"]);
    }

    TEST_CASE("an empty file that is no store is refused and left as it is") {
        const TemporaryFolder folder;
        const std::string file = folder.file("empty");
        std::ofstream(file).close();
        for (const auto& arguments : {std::vector<std::string>{"explain"},
                                      {"report", "--run", "1", "-o", folder.file("r")}}) {
            auto with_store = arguments;
            with_store.insert(with_store.end(), {"--store", file});
            check_refused(run_ridge(with_store), "an empty file");
            CHECK(std::filesystem::file_size(file) == 0);
        }
    }

    TEST_CASE("nothing stored, nothing of that name: one line that says how to collect") {
        StoredExample empty;
        check_refused(explain(empty, {"alexnet"}), "ridge collect");
        StoredExample example;
        example.add(example_measured_run("lenet", 4, 1, "onednn"));
        check_refused(explain(example, {"alexnet"}), "ridge collect alexnet");
        check_refused(explain(example, {"77"}), "run 77");
        check_refused(explain(example, {"--run", "77"}), "run 77");
        check_refused(explain(example, {"--set", "l7.capacity=2x"}), "l2.capacity");
        check_refused(explain(example, {"--machine", "cray-1"}), "cray-1");
        check_refused(explain(example, {"--sort", "beauty"}), "beauty");
        check_refused(explain(example, {"--top", "0"}), "--top");
        check_refused(explain(example, {"--top", "99999999999999999999"}), "--top");
        check_refused(explain(example, {"--json", "--csv"}), "--csv");
    }
}

TEST_SUITE("cli") {
    TEST_CASE("explain of a traced run: simulated bytes, their source, and what was not traced") {
        StoredExample example;
        Run run = example_measured_run("lenet", 4, 1, "onednn");
        run.info.counters = "traced";
        run.info.simulated_caches =
            describe_caches(hierarchy_of(load_machine(example.machine()), run.info.threads));
        for (Measurement& row : run.rows) {
            const bool compiled = row.key.pass == Pass::update;
            const Source source = compiled ? Source::algorithmic : Source::simulated;
            const double least = minimum_bytes(parse_layer(row.problem), row.key.pass).value();
            for (const char* level : {"L1", "L2", "L3", "DRAM"}) {
                row.counters.emplace(counter::read_bytes(level), Reading(least, source));
                row.counters.emplace(counter::written_bytes(level), Reading(least / 2, source));
            }
            row.counters.emplace(counter::traced_share, Reading(compiled ? 0 : 1, Source::traced));
            if (compiled)
                row.counters.emplace(counter::untraced_work,
                                     Reading::unavailable("compiled code, made up"));
        }
        example.add(run);
        const auto text = explain(example, {"lenet"});
        REQUIRE_MESSAGE(text.exit_code == 0, text.err);
        for (const char* part :
             {"of the step's time traced and simulated", "Not traced:", "bytes simulated",
              "bytes from", "simulated for ", "compiled code, made up"})
            CHECK_MESSAGE(has(text.out, part), part);

        const auto json = nlohmann::json::parse(explain(example, {"lenet", "--json"}).out);
        double updates = 0;
        for (const auto& row : json["rows"]) {
            const bool update = row["pass"] == "update";
            CHECK(row["bytes_source"] == (update ? "algorithmic" : "simulated"));
            if (update) updates += row["share_of_step"].get<double>();
        }
        CHECK(json["coverage"]["analytic_share"].get<double>() == doctest::Approx(updates));
        CHECK(json["coverage"]["traced_and_simulated_share"].get<double>() ==
              doctest::Approx(1 - updates));

        // Twice the bandwidth changes no bytes; other caches make those of these ones worthless.
        const auto faster = nlohmann::json::parse(
            explain(example, {"lenet", "--json", "--set", "dram.bandwidth=2x"}).out);
        CHECK(faster["rows"][0]["bytes_source"] == "simulated");
        const auto larger = nlohmann::json::parse(
            explain(example, {"lenet", "--json", "--set", "l2.capacity=2x"}).out);
        CHECK(larger["rows"][0]["bytes_source"] == "algorithmic");
        CHECK(larger["coverage"]["traced_and_simulated_share"] == 0);
    }
}
