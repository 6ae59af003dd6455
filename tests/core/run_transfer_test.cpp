// Export and import of runs.

#include <doctest/doctest.h>

#include <cmath>

#include "core/json.hpp"
#include "ridge/run_store.hpp"
#include "tests/core/example_run.hpp"
#include "tests/core/expect_error.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using ridge::test::expect_error;

TEST_SUITE("behaviour") {
    TEST_CASE("an exported run imports as an equal one under a new id") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("a.db")), other(folder.file("b.db"));
        test::store_example(store);
        const auto run = test::store_example(store);
        const std::string text = store.export_run(run);
        const auto copy = other.import_run(text, "run.json");
        CHECK(copy != run);
        Json expected = Json::parse(text), found = Json::parse(other.export_run(copy));
        CHECK(found["run"]["id"] == copy);
        expected["run"]["id"] = found["run"]["id"];
        CHECK(found == expected);
        CHECK(other.check().empty());
        CHECK(!other.has_live_owner(copy));
        // Every sample is in the document.
        CHECK(expected["rows"].size() == 3);
        CHECK(expected["rows"][0]["samples"].size() == 12);
        CHECK(expected["step_samples"].size() == 6);
    }

    TEST_CASE("an interrupted run exports and imports too") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("a.db"));
        const auto run = store.begin_run(test::example_info());
        Measurement row = test::example_row(0);
        row.time = {};
        store.add_visit(run, row, 0, test::example_samples(0, 2));
        const auto copy = store.import_run(store.export_run(run), "run.json");
        CHECK(!store.load_run(copy).info.complete);
        CHECK(store.samples(copy, row.key).size() == 2);
        // The copy has no owner, so it can be continued.
        CHECK(store.find_incomplete(test::example_info()) == copy);
    }

    TEST_CASE("a document that no store exported is refused by key, and leaves nothing") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("a.db"));
        const auto run = test::store_example(store);
        const Json good = Json::parse(store.export_run(run));
        const auto refused = [&](const char* pointer, const Json& value,
                                 std::initializer_list<std::string> words) {
            Json bad = good;
            bad[nlohmann::json_pointer<std::string>(pointer)] = value;
            expect_error(ExitCode::bad_input, words,
                         [&] { store.import_run(bad.dump(), "run.json"); });
        };
        refused("/format", "other", {"run.json: format", "'ridge run'", "\"other\""});
        refused("/version", 2, {"run.json: version", "from 1 to 1", "2"});
        refused("/extra", 1, {"run.json: extra", "'extra'"});
        refused("/run/batch", 0, {"run.json: run.batch", "from 1", "0"});
        refused("/run/dtype", "f31", {"run.json: run.dtype", "\"f31\""});
        refused("/rows", Json::object(), {"run.json: rows", "a list", "an object"});
        refused("/rows/1", good["rows"][0], {"run.json: rows[1]", "once", "conv1 forward twice"});
        refused("/rows/0/samples/3/time_s", 0, {"run.json: rows[0].samples[3].time_s", "0"});
        refused("/rows/0/samples/3/time_s", nullptr, {"rows[0].samples[3].time_s", "null"});
        refused("/rows/0/samples/3/executions", 0, {"rows[0].samples[3].executions", "0"});
        refused("/rows/0/samples/3/visit", -1, {"rows[0].samples[3].visit", "-1"});
        refused("/rows/0/samples/3/quiet", 1, {"rows[0].samples[3].quiet", "true or false"});
        refused("/rows/0/time/time_s", nullptr, {"rows[0].time", "complete run"});
        refused("/step/interval_low_s", 1.0, {"run.json: step", "interval_high_s"});
        expect_error(ExitCode::bad_input, {"run.json:1:", "JSON"},
                     [&] { store.import_run("not a run", "run.json"); });
        expect_error(ExitCode::bad_input, {"run.json", "an object"},
                     [&] { store.import_run("[]", "run.json"); });
        CHECK(store.list_runs().size() == 1);
        CHECK(store.check().empty());
    }

    TEST_CASE("a document cut anywhere is refused") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("a.db"));
        const std::string text = store.export_run(test::store_example(store, 1));
        for (std::size_t length = 0; length + 2 < text.size(); length += 97)
            CHECK(test::error_of([&] { store.import_run(text.substr(0, length), "run.json"); }));
        CHECK(store.list_runs().size() == 1);
    }
}
