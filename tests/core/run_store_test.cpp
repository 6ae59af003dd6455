#include "ridge/run_store.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "tests/core/example_run.hpp"
#include "tests/core/expect_error.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using ridge::test::check_equal;
using ridge::test::example_info;
using ridge::test::example_row;
using ridge::test::example_samples;
using ridge::test::expect_error;

TEST_SUITE("smoke") {
    TEST_CASE("a run is stored visit by visit and loads as it was") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        std::int64_t run = 0;
        {
            RunStore store(path);
            run = test::store_example(store);
        }
        const RunStore store(path, StoreAccess::read);
        const Run loaded = store.load_run(run);
        RunInfo expected = example_info();
        expected.complete = true;
        check_equal(loaded.info, expected);
        CHECK(loaded.info.id == run);
        REQUIRE(loaded.rows.size() == 3);
        for (int i = 0; i < 3; ++i)
            check_equal(loaded.rows[static_cast<std::size_t>(i)], example_row(i));
        REQUIRE(loaded.step);
        check_equal(*loaded.step, test::example_step());

        std::vector<Sample> samples, step_samples;
        for (int visit = 0; visit < 3; ++visit) {
            for (const auto& sample : example_samples(visit, 4)) samples.push_back(sample);
            for (const auto& sample : example_samples(visit, 2)) step_samples.push_back(sample);
        }
        check_equal(store.samples(run, example_row(1).key), samples);
        check_equal(store.step_samples(run), step_samples);
        CHECK(store.samples(run, {"conv9", Pass::forward, ""}).empty());
        CHECK(store.check().empty());
    }

    TEST_CASE("runs are listed newest first, and deleting one leaves the others") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto first = test::store_example(store), second = test::store_example(store);
        CHECK(second > first);
        REQUIRE(store.list_runs().size() == 2);
        CHECK(store.list_runs()[0].id == second);
        store.delete_run(second);
        CHECK(store.list_runs().size() == 1);
        CHECK(store.samples(first, example_row(0).key).size() == 12);
        CHECK(store.check().empty());
        // An id is never given twice: a report may quote it.
        CHECK(store.begin_run(example_info()) > second);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("rows come in step order, whatever the order they were measured in") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto run = store.begin_run(example_info());
        for (const int i : {3, 0, 2, 1}) store.put_row(run, example_row(i));
        const Run loaded = store.load_run(run);
        for (int i = 0; i < 4; ++i) CHECK(loaded.rows[static_cast<std::size_t>(i)].ordinal == i);
    }

    TEST_CASE("samples come by visit, whatever the order they were stored in") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto run = store.begin_run(example_info());
        for (const int visit : {5, 0, 2})
            store.add_visit(run, example_row(0), visit, example_samples(visit, 2));
        std::vector<int> visits;
        for (const auto& sample : store.samples(run, example_row(0).key))
            visits.push_back(sample.visit);
        CHECK(visits == std::vector<int>{0, 0, 2, 2, 5, 5});
    }

    TEST_CASE("a visit is stored once, and whole or not at all") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto run = store.begin_run(example_info());
        store.add_visit(run, example_row(0), 0, example_samples(0, 2));
        store.put_step_samples(run, 0, example_samples(0, 2));
        expect_error(ExitCode::job_failed, {"visit 0", "conv1 forward", "already"},
                     [&] { store.add_visit(run, example_row(0), 0, example_samples(0, 3)); });
        expect_error(ExitCode::job_failed, {"visit 0", "the step", "already"},
                     [&] { store.put_step_samples(run, 0, example_samples(0, 3)); });
        // The last of the samples is impossible: none of them, nor their row, may stay.
        auto samples = example_samples(1, 3);
        samples[2].time = Seconds(0);
        expect_error(ExitCode::job_failed, {"visit 1", "conv1 backward_data", "positive"},
                     [&] { store.add_visit(run, example_row(1), 1, samples); });
        CHECK(store.samples(run, example_row(0).key).size() == 2);
        CHECK(store.step_samples(run).size() == 2);
        CHECK(store.load_run(run).rows.size() == 1);
        CHECK(store.check().empty());
    }

    TEST_CASE("a row without a summary says how many samples wait for it") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto run = store.begin_run(example_info());
        Measurement described = example_row(0);
        described.time = {};
        store.add_visit(run, described, 0, example_samples(0, 3));
        store.add_visit(run, described, 1, {});  // describes, and leaves the visit free
        store.add_visit(run, described, 1, example_samples(1, 3));
        const Run loaded = store.load_run(run);
        CHECK(loaded.rows[0].time.time == Seconds(0));
        CHECK(loaded.rows[0].time.samples == 6);
        CHECK(loaded.rows[0].time.quiet_samples == 4);
        CHECK(!loaded.info.complete);
        CHECK(!loaded.step);
    }

    TEST_CASE("a network that changed is not mixed into an old run") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto run = store.begin_run(example_info());
        store.add_visit(run, example_row(0), 0, example_samples(0, 2));
        Measurement changed = example_row(0);
        changed.problem = "conv:mb16ic3ih227oc96oh55kh11sh4";
        expect_error(ExitCode::bad_input,
                     {"conv1 forward", example_row(0).problem, changed.problem},
                     [&] { store.add_visit(run, changed, 1, example_samples(1, 2)); });
    }

    TEST_CASE("a finished run takes nothing more") {
        const test::TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto run = test::store_example(store);
        const auto refused = [&](auto&& work) {
            expect_error(ExitCode::job_failed, {"complete"}, work);
        };
        refused([&] { store.add_visit(run, example_row(0), 9, example_samples(9, 1)); });
        refused([&] { store.put_row(run, example_row(0)); });
        refused([&] { store.put_step(run, test::example_step()); });
        refused([&] { store.put_step_samples(run, 9, example_samples(9, 1)); });
        refused([&] { store.finish_run(run); });
        expect_error(ExitCode::bad_input, {"interrupted", "complete"},
                     [&] { store.resume_run(run); });
    }

    TEST_CASE("a run that is not there is named") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        RunStore store(path);
        const auto refused = [&](auto&& work) {
            expect_error(ExitCode::bad_input, {path, "run 7", "none with this id"}, work);
        };
        refused([&] { (void)store.load_run(7); });
        refused([&] { (void)store.export_run(7); });
        refused([&] { (void)store.samples(7, example_row(0).key); });
        refused([&] { (void)store.step_samples(7); });
        refused([&] { store.delete_run(7); });
        refused([&] { store.resume_run(7); });
        refused([&] { store.finish_run(7); });
    }

    TEST_CASE("reading never makes a file") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("absent.db");
        for (const auto access : {StoreAccess::read, StoreAccess::write})
            expect_error(ExitCode::bad_input, {path, "no such file"},
                         [&] { RunStore store(path, access); });
        CHECK(std::filesystem::is_empty(folder.path()));
    }

    TEST_CASE("a name that SQLite would take for something else is a file like any other") {
        const test::TemporaryFolder folder;
        const auto here = std::filesystem::current_path();
        std::filesystem::current_path(folder.path());
        for (const char* name : {":memory:", "file:x?mode=memory", "a b%20.db"}) {
            {
                RunStore store(name);
                test::store_example(store, 1);
            }
            CHECK(std::filesystem::exists(folder.file(name)));
            CHECK(RunStore(name, StoreAccess::read).list_runs().size() == 1);
        }
        std::filesystem::current_path(here);
    }
}
