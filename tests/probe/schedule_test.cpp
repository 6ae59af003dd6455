// The rounds on a clock that stands still unless a measurement moves it.
#include "collectors/probe/schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "collectors/probe/team.hpp"

using namespace ridge::probe;

namespace {

struct FakeProbe {
    double now = 100;
    int interrupt_after = std::numeric_limits<int>::max();
    std::vector<std::string> order = {};
    std::vector<Task> tasks = {};

    /// A task whose visits take `cost_s` and see `rate_of(visit)` in each of three windows.
    void add(const std::string& name, double cost_s, std::function<double(int)> rate_of) {
        Task task;
        task.name = name;
        task.measure = [this, cost_s, rate_of, name](int visit, std::vector<WindowSample>& out) {
            order.push_back(name);
            now += cost_s;
            for (int i = 0; i < 3; ++i) out.push_back({rate_of(visit), visit, 0});
        };
        tasks.push_back(std::move(task));
    }

    ScheduleEnd run(double settle_s, double budget_s) {
        Hooks hooks;
        hooks.now_s = [this] { return now; };
        hooks.interrupted = [this] { return static_cast<int>(order.size()) >= interrupt_after; };
        hooks.progress = [](double, const std::string&) {};
        std::vector<Task*> all;
        for (Task& task : tasks) all.push_back(&task);
        return run_rounds(all, {settle_s, 100 + budget_s, 3}, hooks);
    }

    [[nodiscard]] int visits(const std::string& name) const {
        return static_cast<int>(std::count(order.begin(), order.end(), name));
    }
};

double steady(int) {
    return 100;
}
/// Never two values within 1 %.
double restless(int visit) {
    return 100 * std::pow(1.05, visit);
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("figures take turns until they settle") {
        FakeProbe probe;
        probe.add("a", 0.01, steady);
        probe.add("b", 0.01, steady);
        CHECK(probe.run(0.1, 10) == ScheduleEnd::settled);
        CHECK(probe.now - 100 < 0.13);
        for (std::size_t i = 1; i < probe.order.size(); ++i)
            CHECK(probe.order[i] != probe.order[i - 1]);
        CHECK(probe.tasks[0].accepted());
    }

    TEST_CASE("without settling time a figure needs two visits, no more") {
        FakeProbe probe;
        probe.add("a", 0.01, steady);
        CHECK(probe.run(0, 10) == ScheduleEnd::settled);
        CHECK(probe.visits("a") == 2);
    }

    TEST_CASE("what does not agree is measured on, alone, until the time is over") {
        FakeProbe probe;
        probe.add("steady", 0.01, steady);
        probe.add("restless", 0.01, restless);
        CHECK(probe.run(0.1, 1) == ScheduleEnd::out_of_time);
        CHECK(probe.visits("restless") > 5 * probe.visits("steady"));
        CHECK_FALSE(probe.tasks[1].accepted());
        CHECK(probe.now - 100 <= 1);
    }

    TEST_CASE("the budget holds though visits are slow") {
        FakeProbe probe;
        for (int i = 0; i < 20; ++i) probe.add(std::to_string(i), 0.4, restless);
        CHECK(probe.run(2, 5) == ScheduleEnd::out_of_time);
        CHECK(probe.now - 100 <= 5.0);
        CHECK(probe.now - 100 >= 4.0);
    }

    TEST_CASE("a visit that would not end in time is not started") {
        FakeProbe probe;
        probe.add("slow", 3, restless);
        CHECK(probe.run(0, 7) == ScheduleEnd::out_of_time);
        // After the first, 3 s have gone and another could end at 7.5 s.
        CHECK(probe.visits("slow") == 1);
    }

    TEST_CASE("nothing starts after the deadline") {
        FakeProbe probe;
        probe.add("a", 0.01, steady);
        CHECK(probe.run(1, -1) == ScheduleEnd::out_of_time);
        CHECK(probe.order.empty());
    }

    TEST_CASE("an expensive figure does not starve the others") {
        FakeProbe probe;
        for (int i = 0; i < 9; ++i) probe.add("cheap", 0.001, steady);
        probe.add("dear", 0.1, steady);
        probe.run(2, 10);
        CHECK(probe.visits("dear") >= 2);
        CHECK(probe.tasks[9].spent_s < 0.5 * (probe.now - 100));
        CHECK(probe.tasks[0].visits > 3 * probe.tasks[9].visits);
    }

    TEST_CASE("an interruption ends it before the next visit") {
        FakeProbe probe;
        probe.add("a", 0.01, steady);
        probe.add("b", 0.01, steady);
        probe.interrupt_after = 3;
        CHECK(probe.run(1, 10) == ScheduleEnd::interrupted);
        CHECK(probe.order.size() == 3);
    }

    TEST_CASE("no tasks") {
        FakeProbe probe;
        CHECK(probe.run(1, 10) == ScheduleEnd::settled);
    }
}

TEST_SUITE("formula") {
    TEST_CASE("rates of threads that do not compete add up while they overlap") {
        const std::vector<Interval> together{{0, 1}, {0.01, 1.26}};
        CHECK_FALSE(summed_rate(together, 100));  // 0.99 of 1.25 s in common
        const std::vector<Interval> close{{0, 1}, {0.01, 1.06}};
        REQUIRE(summed_rate(close, 105));
        CHECK(*summed_rate(close, 105) == doctest::Approx(105 + 100));
        const std::vector<Interval> one{{3, 5}};
        CHECK(*summed_rate(one, 10) == 5);
    }

    TEST_CASE("threads that share a level are timed from the first start to the last end") {
        const std::vector<Interval> threads{{0, 1}, {0.5, 2}, {0.2, 1.9}};
        CHECK(*joint_rate(threads, 10) == 15);
    }

    TEST_CASE("a window in which a thread lost its core does not count") {
        const std::vector<Interval> windows{{0, 1, 1.0}, {0, 1, 0.9}};
        CHECK(undisturbed(windows[0]));
        CHECK_FALSE(undisturbed(windows[1]));
        CHECK_FALSE(summed_rate(windows, 10));
        CHECK_FALSE(joint_rate(windows, 10));
        CHECK(undisturbed({0, 1, -1}));  // not known
    }
}
