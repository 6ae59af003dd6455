#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ridge/run_store.hpp"
#include "tests/core/example_run.hpp"
#include "tests/support/run_ridge.hpp"

using nlohmann::json;
using ridge::test::Outcome;
using ridge::test::run_program;
using ridge::test::run_ridge;
using ridge::test::TemporaryFolder;

namespace {

/// A store with a complete run 1 and an interrupted run 2.
std::string make_store(const TemporaryFolder& folder) {
    const std::string path = folder.file("runs.db");
    ridge::RunStore complete(path);
    ridge::test::store_example(complete);
    const pid_t child = fork();
    if (child == 0) {
        ridge::RunStore store(path);
        const auto run = store.begin_run(ridge::test::example_info());
        ridge::Measurement row = ridge::test::example_row(0);
        row.time = {};
        store.add_visit(run, row, 0, ridge::test::example_samples(0, 5));
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return path;
}

bool has(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

void check_refused(const Outcome& outcome, const std::string& word) {
    INFO(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, word));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("runs list tells complete from interrupted, newest first") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder);
        const auto text = run_ridge({"runs", "list", "--store", store});
        CHECK(text.exit_code == 0);
        CHECK(text.out.find("interrupted") < text.out.find("complete"));
        CHECK(has(text.out, "alexnet"));
        const auto list = json::parse(run_ridge({"runs", "list", "--json", "--store", store}).out);
        REQUIRE(list.size() == 2);
        CHECK(list[0]["id"] == 2);
        CHECK(list[0]["status"] == "interrupted");
        CHECK(list[1]["status"] == "complete");
        CHECK(list[1]["quiet_clock_hz"] == 2.78e9);
    }

    TEST_CASE("runs show prints rows with units, and no time that is none") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder);
        const auto text = run_ridge({"runs", "show", "1", "--store", store});
        CHECK(text.exit_code == 0);
        for (const char* word :
             {"Run 1: alexnet, batch 8, 2 threads, bf16", "complete", "2.78 GHz", "conv2",
              "reorder src", "3.00 ms", "settled", "upper bound", "jit:avx512_core", "6.00 ms",
              "Whole step: 1.00 ms", "ridge collect alexnet --batch 8"})
            CHECK_MESSAGE(has(text.out, word), word);
        const auto last = run_ridge({"runs", "show", "last", "--store", store});
        CHECK(has(last.out, "Run 2"));
        CHECK(has(last.out, "not summarised"));
        CHECK(has(last.out, "Whole step: not measured"));
        CHECK(!has(last.out, "0 s"));

        const auto run =
            json::parse(run_ridge({"runs", "show", "1", "--json", "--store", store}).out);
        CHECK(run["rows"][2]["time"]["time_s"] == 3e-3);
        CHECK(run["rows"][1]["creation_s"].is_null());
        const auto cut =
            json::parse(run_ridge({"runs", "show", "2", "--json", "--store", store}).out);
        CHECK(cut["rows"][0]["time"]["time_s"].is_null());
        CHECK(cut["rows"][0]["time"]["samples"] == 5);
        CHECK(cut["step"].is_null());
    }

    TEST_CASE("runs export and import carry a run to another store") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder), file = folder.file("run.json"),
                          other = folder.file("other.db");
        CHECK(run_ridge({"runs", "export", "1", "-o", file, "--store", store}).exit_code == 0);
        const auto printed = run_ridge({"runs", "export", "1", "--store", store});
        std::ifstream stream(file);
        const std::string written{std::istreambuf_iterator<char>(stream), {}};
        CHECK(printed.out == written);
        const auto imported = run_ridge({"runs", "import", file, "--json", "--store", other});
        CHECK(imported.exit_code == 0);
        CHECK(json::parse(imported.out)["id"] == 1);
        CHECK(run_ridge({"runs", "export", "1", "--store", other}).out == written);
        check_refused(run_ridge({"runs", "import", store, "--store", other}), store);
        check_refused(run_ridge({"runs", "export", "1", "-o", folder.path(), "--store", store}),
                      folder.path());
    }

    TEST_CASE("runs export writes CSV, JSON Lines and a Chrome trace of the step") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder);
        const auto exported = [&](const std::string& format) {
            const auto outcome =
                run_ridge({"runs", "export", "1", "--format", format, "--store", store},
                          {"LC_ALL=de_DE.UTF-8"});
            CHECK(outcome.exit_code == 0);
            return outcome.out;
        };
        const auto run =
            json::parse(run_ridge({"runs", "show", "1", "--json", "--store", store}).out);
        const std::size_t rows = run["rows"].size();

        const std::string csv = exported("csv");
        CHECK(csv.starts_with("run,network,batch,"));
        CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == rows + 1);
        CHECK(has(csv, ",0.003,"));  // the decimal point, whatever the locale

        std::istringstream lines(exported("jsonl"));
        std::size_t count = 0;
        for (std::string line; std::getline(lines, line); ++count) {
            const auto object = json::parse(line);
            CHECK(object["type"] == (count == 0 ? "run" : "row"));
            if (count > 0)
                CHECK(object["time"]["time_s"] == run["rows"][count - 1]["time"]["time_s"]);
        }
        CHECK(count == rows + 1);

        const auto trace = json::parse(exported("chrome"));
        double end = 0, sum = 0;
        std::size_t events = 0;
        for (const auto& event : trace["traceEvents"]) {
            if (event["ph"] != "X") continue;
            CHECK(event["ts"].get<double>() == doctest::Approx(end));
            end = event["ts"].get<double>() + event["dur"].get<double>();
            ++events;
        }
        for (const auto& row : run["rows"]) sum += row["time"]["time_s"].get<double>();
        CHECK(events == rows);
        CHECK(end == doctest::Approx(sum * 1e6));
        check_refused(run_ridge({"runs", "export", "1", "--format", "xml", "--store", store}),
                      "--format");
    }

    TEST_CASE("runs check and delete") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder);
        const auto good = run_ridge({"runs", "check", "--store", store});
        CHECK(good.exit_code == 0);
        CHECK(has(good.out, "nothing wrong"));
        CHECK(run_ridge({"runs", "delete", "1", "--store", store}).exit_code == 0);
        check_refused(run_ridge({"runs", "show", "1", "--store", store}), "run 1");
        CHECK(json::parse(run_ridge({"runs", "check", "--json", "--store", store}).out)["ok"] ==
              true);
        check_refused(run_ridge({"runs", "delete", "x", "--store", store}), "'x'");
    }

    TEST_CASE("no runs yet is an answer for the default store and an error for one asked for") {
        const TemporaryFolder folder;
        const std::vector<std::string> home{"XDG_DATA_HOME=" + folder.path()};
        const auto text = run_ridge({"runs", "list"}, home);
        CHECK(text.exit_code == 0);
        CHECK(has(text.out, "no runs in " + folder.path() + "/ridge/runs.db"));
        CHECK(run_ridge({"runs", "list", "--json"}, home).out == "[]\n");
        check_refused(run_ridge({"runs", "show", "last"}, home), "no such file");
        check_refused(run_ridge({"runs", "check"}, home), "no such file");
        check_refused(run_ridge({"runs", "delete", "1"}, home), "no such file");
        check_refused(run_ridge({"runs", "list", "--store", folder.file("x.db")}), "no such file");
        CHECK(std::filesystem::is_empty(folder.path()));
    }

    TEST_CASE("a damaged store is one line") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder);
        std::filesystem::resize_file(store, 5000);
        for (const char* verb : {"list", "check"})
            check_refused(run_ridge({"runs", verb, "--store", store}), store);
        check_refused(run_ridge({"runs", "list", "--store", folder.path()}), folder.path());
    }

    TEST_CASE("output that cannot be written is an error") {
        const TemporaryFolder folder;
        const std::string store = make_store(folder);
        for (const char* verb : {"export", "show"}) {  // more and less than a buffer
            const auto outcome = run_program(
                {"sh", "-c", "\"$RIDGE_BINARY\" runs \"$1\" 1 --store \"$0\" > /dev/full", store,
                 verb});
            INFO(outcome.err);
            CHECK(outcome.exit_code == 1);
            CHECK(has(outcome.err, "writ"));
            CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        }
    }
}
