#include <doctest/doctest.h>

#include <set>

#include "collectors/clock/sampler.hpp"
#include "tests/clock/simulated_machine.hpp"

using namespace ridge;
using namespace ridge::clock;
using namespace ridge::test;

namespace {

/// Counts, and can stop after a number of visits.
class RecordingSink final : public SampleSink {
public:
    void add_visit(std::size_t row, int visit, const std::vector<Sample>& samples) override {
        REQUIRE(seen.insert({row, visit}).second);  // a visit is never given twice
        for (const auto& sample : samples) CHECK(sample.visit == visit);
        taken += samples.size();
    }
    void add_step(int visit, const Sample&) override { REQUIRE(steps.insert(visit).second); }
    bool stop_requested() override { return seen.size() >= stop_after; }
    void progress(Seconds, const std::string&) override {}

    std::set<std::pair<std::size_t, int>> seen;
    std::set<int> steps;
    std::size_t taken = 0;
    std::size_t stop_after = SIZE_MAX;
};

/// Some rows of a training step on a simulated machine.
struct Bench {
    explicit Bench(const Disturbance& model = {}, std::uint64_t seed = 1)
        : machine(model, seed), tracker() {
        const double times_s[] = {2e-6, 30e-6, 70e-6, 400e-6, 1e-3, 2.5e-3, 6e-3, 14e-3};
        for (const double time_s : times_s) add(time_s, 1.1 + 0.1 * double(kernels.size()));
    }
    void add(double time_s, double busy_factor, double contended_factor = 1) {
        const auto n = static_cast<int>(kernels.size());
        kernels.push_back(std::make_unique<SimulatedKernel>(machine, "row" + std::to_string(n), n,
                                                            time_s, busy_factor, contended_factor));
    }
    SimulatedKernel& kernel(std::size_t row) {
        return static_cast<SimulatedKernel&>(*kernels[row]);
    }
    double true_sum() {
        double sum = 0;
        for (std::size_t row = 0; row < kernels.size(); ++row) sum += kernel(row).true_s;
        return sum;
    }
    bool run(CacheState state, double budget_s, bool time_step = false) {
        SamplingTask task;
        task.kernels = kernels;
        task.wanted.assign(kernels.size(), true);
        task.state = state;
        task.time_step = time_step;
        task.budget = Seconds(budget_s);
        task.levels = SimulatedMachine::levels();
        task.reference = Hertz(quiet_clock_hz);
        samples.rows.resize(kernels.size());
        return sample(task, Protocol{}, machine, samples, sink, tracker);
    }
    TimeSummary summary(std::size_t row) { return summarise(samples.rows[row], Protocol{}); }
    double error(std::size_t row) { return summary(row).time.value() / kernel(row).true_s - 1; }

    SimulatedMachine machine;
    std::vector<std::unique_ptr<Kernel>> kernels;
    SampleSet samples;
    RecordingSink sink;
    QuietTracker tracker;
};

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("the truth within 1 % on a disturbed machine") {
        for (const auto state : {CacheState::warm, CacheState::cold, CacheState::in_step}) {
            CAPTURE(int(state));
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                CAPTURE(seed);
                Bench bench({}, seed);
                CHECK(bench.run(state, 30));
                for (std::size_t row = 0; row < bench.kernels.size(); ++row) {
                    CAPTURE(row);
                    CHECK(bench.error(row) > -0.01);
                    CHECK(bench.error(row) < 0.01);
                    CHECK_FALSE(bench.summary(row).upper_bound);
                }
            }
        }
    }

    TEST_CASE("contention that no probe sees, two thirds of the time") {
        Disturbance model;
        model.contention_s = 0.2;
        Bench bench(model, 3);
        bench.add(3e-3, 1.2, 1.3);
        bench.add(0.2e-3, 1.2, 1.5);
        CHECK(bench.run(CacheState::warm, 30));
        for (std::size_t row = 8; row < 10; ++row) {
            CHECK(bench.error(row) > -0.01);
            CHECK(bench.error(row) < 0.012);
        }
    }

    TEST_CASE("quiet one part in ten: still the truth, given time") {
        Disturbance model;
        model.quiet_s = 0.03;
        model.busy_s = 0.27;
        Bench bench(model, 5);
        CHECK(bench.run(CacheState::warm, 60));
        for (std::size_t row = 0; row < bench.kernels.size(); ++row) {
            CAPTURE(row);
            CHECK(bench.error(row) > -0.01);
            CHECK(bench.error(row) < 0.01);
        }
    }

    TEST_CASE("a step longer than any quiet stretch") {
        int inside = 0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            CAPTURE(seed);
            Bench bench({}, seed);
            for (int i = 0; i < 10; ++i) bench.add(8e-3, 1.4);  // 104 ms, quiet stretches of 40 ms
            CHECK(bench.run(CacheState::in_step, 60, true));
            const auto pairs =
                step_pairs(bench.samples, std::vector<bool>(bench.kernels.size(), true));
            CHECK(pairs.size() >= 20);
            Seconds sum;
            for (std::size_t row = 0; row < bench.kernels.size(); ++row)
                sum += bench.summary(row).time;
            const auto step = summarise_step(bench.samples.step, pairs, sum, Protocol{});
            CHECK(step.time.time.value() == doctest::Approx(bench.true_sum()).epsilon(0.035));
            inside += step.interval_low.value() <= bench.true_sum() * 1.002 &&
                      step.interval_high.value() >= bench.true_sum() * 0.998;
            // What an ordinary timer would say.
            CHECK(step.time.median.value() > 1.1 * bench.true_sum());
        }
        CHECK(inside >= 3);  // of 5, at 90 %
    }

    TEST_CASE("the ratio of step and rows: closed form, and a spoiled pair changes little") {
        std::vector<StepPair> pairs;
        for (int i = 0; i < 21; ++i)
            pairs.push_back({Seconds(1.02 * (1 + 0.1 * i)), Seconds(1 + 0.1 * i)});
        CHECK(step_ratio(pairs).ratio == doctest::Approx(1.02));
        CHECK(step_ratio(pairs).low == doctest::Approx(1.02));
        CHECK(step_ratio(pairs).high == doctest::Approx(1.02));
        pairs[4].step = Seconds(100);
        CHECK(step_ratio(pairs).ratio == doctest::Approx(1.02));
        // Ratios 2^-10 ... 2^10: symmetric about 1; the limits follow from the signed-rank table
        // (n = 21: 5 % point 68, so the 68th smallest and largest of 231 means of exponents).
        pairs.clear();
        for (int i = -10; i <= 10; ++i) pairs.push_back({Seconds(std::exp2(i)), Seconds(1)});
        CHECK(step_ratio(pairs).ratio == doctest::Approx(1));
        CHECK(step_ratio(pairs).low == doctest::Approx(std::exp2(-2.5)));
        CHECK(step_ratio(pairs).high == doctest::Approx(std::exp2(2.5)));
    }

    TEST_CASE("agreement above the smallest sample settles nothing") {
        std::vector<Sample> samples;
        for (int i = 0; i < 12; ++i) {
            Sample sample;
            sample.visit = i / 3;
            sample.quiet = true;
            sample.time = Seconds(2.18e-3 * (1 + 1e-4 * i));
            samples.push_back(sample);
        }
        CHECK(settled(samples, Protocol{}));
        samples[5].time = Seconds(1.22e-3);
        CHECK_FALSE(settled(samples, Protocol{}));
        // Neither do samples of a single visit, or disturbed ones.
        samples[5].time = samples[4].time;
        for (auto& sample : samples) sample.visit = 1;
        CHECK_FALSE(settled(samples, Protocol{}));
        for (int i = 0; i < 12; ++i) samples[std::size_t(i)].visit = i / 3;
        for (auto& sample : samples) sample.quiet = false;
        CHECK_FALSE(settled(samples, Protocol{}));
        CHECK(summarise(samples, Protocol{}).upper_bound);
    }

    TEST_CASE("the estimate is the third smallest quiet sample, whatever the disturbed ones say") {
        std::vector<Sample> samples;
        const double quiet_ms[] = {1.05, 1.00, 1.02, 1.01, 1.30};
        for (const double ms : quiet_ms) {
            samples.emplace_back();
            samples.back().quiet = true;
            samples.back().time = samples.back().raw_time = Seconds(ms * 1e-3);
        }
        samples.emplace_back();
        samples.back().time = samples.back().raw_time = Seconds(0.5e-3);
        const auto summary = summarise(samples, Protocol{});
        CHECK(summary.time.value() == doctest::Approx(1.02e-3));
        CHECK(summary.spread.value() == doctest::Approx(0.02e-3));
        CHECK(summary.raw_min.value() == doctest::Approx(0.5e-3));
        CHECK(summary.samples == 6);
        CHECK(summary.quiet_samples == 5);
        CHECK_FALSE(summary.settled);
        CHECK_FALSE(summary.upper_bound);
    }

    TEST_CASE("a quiet sample at another clock is dropped (C13)") {
        const double ghz[] = {2.0, 2.0, 2.0, 1.5};
        CHECK(steady_clock_samples(ghz) == std::vector<bool>{true, true, true, false});
        // Memory does not follow the clock: at 1.5 of 2 GHz the same 1 ms is normalised to 0.75.
        std::vector<Sample> samples;
        for (const double clock : {2.0, 2.0, 2.0, 2.0, 1.5}) {
            samples.emplace_back();
            samples.back().quiet = true;
            samples.back().raw_time = Seconds(1e-3);
            samples.back().time = Seconds(1e-3 * clock / 2.0);
        }
        const auto summary = summarise(samples, Protocol{});
        CHECK(summary.time.value() == doctest::Approx(1e-3));
        CHECK(summary.spread.value() == 0);
        CHECK(summary.samples == 5);
        CHECK(summary.quiet_samples == 4);
    }

    TEST_CASE("times belong to the quiet clock") {
        // A machine that stays at 90 % of its clock: raw times are 11 % longer.
        Disturbance model;
        model.clock_share_low = 0.9;
        Bench bench(model, 2);
        CHECK(bench.run(CacheState::warm, 20));
        for (std::size_t row = 2; row < 6; ++row) {
            CHECK(bench.error(row) < 0.01);
            CHECK(bench.error(row) > -0.01);
        }
        CHECK(bench.summary(5).median.value() > 1.02 * bench.kernel(5).true_s);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("a machine that is never quiet gives upper bounds, in bounded time") {
        Disturbance model;
        model.quiet_s = 1e-6;
        model.busy_s = 100;
        for (const auto state : {CacheState::warm, CacheState::in_step}) {
            Bench bench(model, 4);
            CHECK(bench.run(state, 10, state == CacheState::in_step));
            CHECK(bench.machine.now().value() < 14);
            for (std::size_t row = 0; row < bench.kernels.size(); ++row) {
                CHECK(bench.summary(row).upper_bound);
                CHECK_FALSE(bench.summary(row).settled);
                CHECK(bench.error(row) > 0);
                CHECK(bench.summary(row).samples > 4);
            }
        }
    }

    TEST_CASE("a quiet machine ends long before the budget") {
        Disturbance model;
        model.busy_s = 1e-6;
        model.quiet_s = 1000;
        model.preemptions_per_s = 1e-3;
        Bench bench(model);
        CHECK(bench.run(CacheState::warm, 100));
        CHECK(bench.machine.now().value() < 7);
        for (std::size_t row = 0; row < bench.kernels.size(); ++row)
            CHECK(bench.summary(row).settled);
    }

    TEST_CASE("short executions are batched, and only those") {
        Bench bench;
        CHECK(bench.run(CacheState::warm, 5));
        for (std::size_t row = 0; row < bench.kernels.size(); ++row)
            for (const auto& sample : bench.samples.rows[row]) {
                const double total_s = sample.raw_time.value() * sample.executions;
                if (bench.kernel(row).true_s < 50e-6) CHECK(total_s > 70e-6);
                if (bench.kernel(row).true_s > 100e-6) CHECK(sample.executions == 1);
            }
    }

    TEST_CASE("a visit holds 2 to 10 samples and about 6 ms unless one is longer") {
        Bench bench;
        bench.sink.stop_after = bench.kernels.size();
        CHECK_FALSE(bench.run(CacheState::warm, 100));
        for (std::size_t row = 0; row < bench.kernels.size(); ++row) {
            const auto n = bench.samples.rows[row].size();
            CHECK(n >= 2);
            CHECK(n <= 10);
            if (bench.kernel(row).true_s >= 6e-3) CHECK(n == 2);
        }
    }

    TEST_CASE("every row has a sample, however small the budget") {
        for (const auto state : {CacheState::warm, CacheState::cold, CacheState::in_step}) {
            Bench bench;
            CHECK(bench.run(state, 0, state == CacheState::in_step));
            for (const auto& row : bench.samples.rows) CHECK(row.size() == 1);
            CHECK(bench.samples.step.size() == (state == CacheState::in_step ? 1 : 0));
        }
    }

    TEST_CASE("the budget ends the run") {
        Disturbance model;
        model.quiet_s = 0.01;  // the long rows never settle
        Bench bench(model);
        for (int i = 0; i < 5; ++i) bench.add(20e-3, 1.5);
        CHECK(bench.run(CacheState::warm, 8));
        CHECK(bench.machine.now().value() < 1 + 8 + 0.6);
        CHECK(bench.machine.now().value() > 1 + 7);
    }

    TEST_CASE("short rows that are done leave the time to the others") {
        Disturbance model;
        model.quiet_s = 0.004;  // shorter than the longest row
        Bench bench(model);
        CHECK(bench.run(CacheState::warm, 20));
        std::vector<double> visits(bench.kernels.size());
        for (const auto& [row, visit] : bench.sink.seen) ++visits[row];
        CHECK(visits[2] < visits[7]);
    }

    TEST_CASE("a resumed run continues its visits and measures no row from the start") {
        Bench bench;
        bench.sink.stop_after = 11;
        CHECK_FALSE(bench.run(CacheState::warm, 100));
        const auto before = bench.samples.rows[0].size();
        CHECK(before > 0);
        bench.sink.stop_after = SIZE_MAX;
        CHECK(bench.run(CacheState::warm, 10));  // RecordingSink refuses a visit given twice
        std::size_t kept = 0;
        for (const auto& row : bench.samples.rows) kept += row.size();
        CHECK(kept == bench.sink.taken);

        Bench step;
        step.sink.stop_after = 20;
        CHECK_FALSE(step.run(CacheState::in_step, 100, true));
        step.sink.stop_after = SIZE_MAX;
        CHECK(step.run(CacheState::in_step, 3, true));
        CHECK(step.samples.step.size() == step.sink.steps.size());
    }

    TEST_CASE("cold samples follow a flush and are single executions") {
        Bench bench;
        CHECK(bench.run(CacheState::cold, 1));
        CHECK(bench.machine.flushed);
        for (const auto& row : bench.samples.rows)
            for (const auto& sample : row) CHECK(sample.executions == 1);
    }

    TEST_CASE("rows that are not wanted run in the step and are not reported") {
        Bench bench;
        SamplingTask task;
        task.kernels = bench.kernels;
        task.wanted.assign(bench.kernels.size(), true);
        task.wanted[3] = false;
        task.state = CacheState::in_step;
        task.budget = Seconds(1);
        task.levels = SimulatedMachine::levels();
        task.reference = Hertz(quiet_clock_hz);
        bench.samples.rows.resize(bench.kernels.size());
        CHECK(sample(task, Protocol{}, bench.machine, bench.samples, bench.sink, bench.tracker));
        CHECK(bench.samples.rows[3].empty());
        CHECK(bench.kernel(3).executions == bench.kernel(4).executions);
    }

    TEST_CASE("every probe of a run contributes to the machine's levels") {
        Bench bench;
        CHECK(bench.tracker.levels().provisional);
        CHECK(bench.run(CacheState::warm, 5));
        CHECK_FALSE(bench.tracker.levels().provisional);
        CHECK(bench.tracker.levels().clock.value() ==
              doctest::Approx(quiet_clock_hz).epsilon(0.01));
        CHECK(bench.tracker.clock_level(1).value() ==
              doctest::Approx(quiet_clock_hz).epsilon(0.01));
    }
}
