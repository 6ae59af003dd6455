#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "collectors/clock/quiet_levels.hpp"
#include "core/files.hpp"
#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::clock;

namespace {

/// A core at `clock_ghz` that does 32 FLOP and 6 instructions a cycle, times the shares left.
ProbeReading reading(double clock_ghz, double fma_share = 1, double issue_share = 1) {
    return {Hertz(clock_ghz * 1e9), FlopsPerSecond(32e9 * clock_ghz * fma_share),
            InstructionsPerSecond(6e9 * clock_ghz * issue_share), Seconds(0)};
}

QuietLevels example_levels() {
    return {FlopsPerSecond(32e9 * 3.6), InstructionsPerSecond(6e9 * 3.6), 3, false, Hertz(3.6e9)};
}

void add(QuietTracker& tracker, const ProbeReading& core, double time_s) {
    tracker.add(std::span(&core, 1), time_s);
}

struct TemporaryFolder {
    std::filesystem::path path;
    TemporaryFolder() {
        auto pattern = (std::filesystem::temp_directory_path() / "ridge-clock-XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("a level is the best that three separate windows reached") {
        LevelHistory history;
        CHECK(history.level() == 0);
        history.add(1, 10);
        history.add(1, 12);
        history.add(1, 12);
        CHECK(history.level() == 12);
        CHECK(history.agreeing() == 1);
        history.add(2, 11.9);
        history.add(3, 9);
        CHECK(history.level() == 9);
        CHECK(history.agreeing() == 2);
        history.add(3, 11.8);
        CHECK(history.level() == doctest::Approx(11.8));
        CHECK(history.agreeing() == 3);
        // One lucky window does not raise it.
        history.add(4, 20);
        CHECK(history.level() == doctest::Approx(11.9));
    }

    TEST_CASE("a core is quiet at any clock, and neither probe alone decides") {
        const auto quiet = [](ProbeReading core) {
            return judge(std::span(&core, 1), example_levels()).quiet;
        };
        CHECK(quiet(reading(3.6)));
        CHECK(quiet(reading(3.1)));
        CHECK_FALSE(quiet(reading(3.6, 1, 0.6)));
        CHECK_FALSE(quiet(reading(3.6, 0.9, 1)));
        // An interruption inside the chain makes the clock look low; the other loops show it.
        auto interrupted = reading(3.6);
        interrupted.clock = Hertz(3.0e9);
        const auto share = judge(std::span(&interrupted, 1), example_levels());
        CHECK(share.quiet);
        CHECK(share.clock.value() == doctest::Approx(3.6e9));
    }

    TEST_CASE("with several cores the slowest one counts") {
        const std::vector both{reading(3.6), reading(3.2, 0.95, 0.5)};
        const auto share = judge(both, example_levels());
        CHECK_FALSE(share.quiet);
        CHECK(share.fma == doctest::Approx(0.95));
        CHECK(share.issue == doctest::Approx(0.5));
        CHECK(share.clock.value() == doctest::Approx(3.2e9));
        CHECK_FALSE(judge({}, example_levels()).quiet);
    }

    TEST_CASE("a run was judged by lower levels when either rose beyond the quiet band") {
        const QuietLevels levels = example_levels();
        const auto run = [&](double fma, double issue) {
            RunInfo info;
            info.quiet_fma = FlopsPerSecond(levels.fma.value() * fma);
            info.quiet_issue = InstructionsPerSecond(levels.issue.value() * issue);
            return info;
        };
        CHECK_FALSE(judged_by_lower(run(1, 1), levels));
        CHECK_FALSE(judged_by_lower(run(0.98, 0.98), levels));
        CHECK_FALSE(judged_by_lower(run(1.2, 1.2), levels));
        CHECK(judged_by_lower(run(0.96, 1), levels));
        CHECK(judged_by_lower(run(1, 0.5), levels));
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("levels only rise, whatever readings come") {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> share(0.3, 1), clock(2.9, 3.7);
        QuietTracker tracker;
        QuietLevels last;
        int rises = 0;
        for (int i = 0; i < 3000; ++i) {
            const bool quiet = i > 500 && random() % 10 == 0;
            add(tracker,
                quiet ? reading(clock(random)) : reading(clock(random), share(random), 0.6),
                0.05 * i);
            const auto levels = tracker.levels();
            if (levels.windows >= windows_to_confirm) {
                CHECK(levels.issue.value() >= last.issue.value());
                CHECK(levels.fma.value() >= last.fma.value());
                CHECK(levels.clock.value() >= last.clock.value());
                rises += levels.issue.value() > last.issue.value();
                last = levels;
            }
        }
        CHECK(rises > 0);
        CHECK_FALSE(last.provisional);
        CHECK(last.issue.value() == doctest::Approx(6 * 3.7e9).epsilon(0.01));
    }

    TEST_CASE("levels stay provisional until three windows agree") {
        QuietTracker tracker;
        CHECK(tracker.levels().provisional);
        for (int i = 0; i < 100; ++i) add(tracker, reading(3.6), 100 + 0.001 * i);
        CHECK(tracker.levels().provisional);  // one window, however many readings
        add(tracker, reading(3.6, 0.7, 0.6), 101);
        add(tracker, reading(3.6, 0.7, 0.6), 102);
        CHECK(tracker.levels().provisional);  // three windows that disagree
        add(tracker, reading(3.59), 103);
        add(tracker, reading(3.6), 104);
        CHECK_FALSE(tracker.levels().provisional);
    }

    TEST_CASE("the clock of all cores together has a level of its own") {
        QuietTracker tracker;
        for (int i = 0; i < 5; ++i) {
            add(tracker, reading(4.0), i);
            const std::vector both{reading(3.5), reading(3.4)};
            tracker.add(both, 100 + i);
        }
        CHECK(tracker.clock_level(1).value() == doctest::Approx(4.0e9));
        CHECK(tracker.clock_level(2).value() == doctest::Approx(3.4e9));
        CHECK(tracker.clock_level(8).value() == doctest::Approx(4.0e9));
        CHECK(judge(std::vector{reading(3.5), reading(3.4)}, tracker.levels()).quiet);
    }

    TEST_CASE("the history file adds up what runs saw") {
        const TemporaryFolder folder;
        const auto path = (folder.path / "deep" / "quiet.json").string();
        CHECK(load_quiet_history(path, "cpu A").fma.level() == 0);
        for (int run = 0; run < 3; ++run) {
            QuietHistory fresh;
            fresh.cpu_model = "cpu A";
            QuietTracker tracker(fresh);
            add(tracker, reading(3.6), 1000 * run);
            const auto sum = merge_quiet_history(path, tracker.history());
            CHECK(QuietTracker(sum).levels().provisional == (run < 2));
        }
        const auto history = load_quiet_history(path, "cpu A");
        CHECK(QuietTracker(history).levels().fma.value() == doctest::Approx(32e9 * 3.6));
        CHECK(QuietTracker(history).clock_level(1).value() == doctest::Approx(3.6e9));
        // The same windows again confirm nothing new.
        CHECK(merge_quiet_history(path, history).fma.best() == history.fma.best());
        // Another processor starts afresh.
        CHECK(load_quiet_history(path, "cpu B").fma.level() == 0);
    }

    TEST_CASE("a damaged history names the file and the key") {
        const TemporaryFolder folder;
        const auto path = (folder.path / "quiet.json").string();
        write_file(path, R"({"ridge_quiet_history": 1, "cpu_model": "x", "fma_flops_per_s": 3})");
        try {
            (void)load_quiet_history(path, "x");
            FAIL("accepted");
        } catch (const Error& e) {
            CHECK(e.code() == ExitCode::bad_input);
            CHECK(std::string(e.what()).find("fma_flops_per_s") != std::string::npos);
            CHECK(std::string(e.what()).find(path) != std::string::npos);
        }
    }
}
