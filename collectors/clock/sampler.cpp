#include "collectors/clock/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "collectors/clock/sample_taker.hpp"

namespace ridge::clock {
namespace {

int next_visit(const std::vector<Sample>& samples) {
    int next = 0;
    for (const auto& sample : samples) next = std::max(next, sample.visit + 1);
    return next;
}

std::size_t quiet_count(const std::vector<Sample>& samples) {
    return static_cast<std::size_t>(
        std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return s.quiet; }));
}

/// What the two ways of sampling share.
class Session {
public:
    Session(const SamplingTask& task, const Protocol& protocol, Instruments& instruments,
            SampleSet& samples, SampleSink& sink, QuietTracker& tracker)
        : task_(task),
          protocol_(protocol),
          instruments_(instruments),
          samples_(samples),
          sink_(sink),
          tracker_(tracker),
          taker_(instruments, protocol, task.levels, task.reference),
          started_(instruments.now()) {}

protected:
    [[nodiscard]] Seconds elapsed() { return instruments_.now() - started_; }
    [[nodiscard]] bool out_of_time() { return elapsed() >= task_.budget; }
    [[nodiscard]] std::size_t rows() const { return task_.kernels.size(); }

    /// More samples would not improve it.
    [[nodiscard]] bool done(std::size_t row) {
        return elapsed().value() >= protocol_.spread_s && settled(samples_.rows[row], protocol_);
    }

    void keep(std::size_t row, int visit, const std::vector<Sample>& taken) {
        sink_.add_visit(row, visit, taken);
        samples_.rows[row].insert(samples_.rows[row].end(), taken.begin(), taken.end());
    }

    const SamplingTask& task_;
    const Protocol& protocol_;
    Instruments& instruments_;
    SampleSet& samples_;
    SampleSink& sink_;
    QuietTracker& tracker_;
    SampleTaker taker_;

private:
    Seconds started_;
};

/// warm and cold: rounds over the rows that are not done yet, so that the time goes where it is
/// needed and each of them, short or long, gets one visit per round.
class RoundSession : Session {
public:
    using Session::Session;

    bool run() {
        for (bool first = true;; first = false) {
            std::vector<std::size_t> round;
            for (std::size_t row = 0; row < rows(); ++row)
                if (task_.wanted[row] && (first ? samples_.rows[row].empty() : !done(row)))
                    round.push_back(row);
            if (round.empty() && !first) return true;
            for (const std::size_t row : round) {
                if (sink_.stop_requested()) return false;
                if (!first && out_of_time()) return true;
                visit(row);
                sink_.progress(elapsed(), task_.kernels[row]->description().key.layer);
            }
        }
    }

private:
    void visit(std::size_t row) {
        Kernel& kernel = *task_.kernels[row];
        const int number = next_visit(samples_.rows[row]);
        std::vector<Sample> taken = task_.state == CacheState::cold ? visit_cold(kernel, number)
                                                                    : visit_warm(kernel, number);
        taker_.hand_over(tracker_);
        keep(row, number, taken);
    }

    std::vector<Sample> visit_warm(Kernel& kernel, int number) {
        const Seconds once = warm_up(kernel);
        const int batch =
            once.value() < protocol_.batch_below_s ? fit(protocol_.batch_to_s, once) : 1;
        const int count = out_of_time()
                              ? 1
                              : std::clamp(fit(protocol_.visit_s, once * batch),
                                           protocol_.samples_at_least, protocol_.samples_at_most);
        std::vector<Sample> taken;
        taker_.look();
        for (int i = 0; i < count; ++i) {
            // While it waited, a foreign hyperthread may have taken the private caches.
            if (taker_.wait_for_quiet() && once.value() < protocol_.rewarm_below_s) {
                kernel.execute();
                taker_.look();
            }
            taken.push_back(taker_.take([&] { kernel.execute(); }, batch, number));
        }
        return taken;
    }

    std::vector<Sample> visit_cold(Kernel& kernel, int number) {
        const int count = out_of_time() ? 1 : protocol_.samples_at_least;
        std::vector<Sample> taken;
        for (int i = 0; i < count; ++i) {
            instruments_.flush_caches();
            taker_.look();
            taker_.wait_for_quiet();
            taken.push_back(taker_.take([&] { kernel.execute(); }, 1, number));
        }
        return taken;
    }

    /// Unmeasured executions; returns the time of the last one.
    Seconds warm_up(Kernel& kernel) {
        const Seconds start = instruments_.now();
        Seconds last;
        for (int i = 0; i < protocol_.unmeasured_at_most; ++i) {
            const Seconds before = instruments_.now();
            kernel.execute();
            const Seconds after = instruments_.now();
            last = after - before;
            if ((after - start).value() > protocol_.unmeasured_s) break;
        }
        return std::max(last - instruments_.read_cost(), Seconds(1e-8));
    }

    /// Executions that take at least `total_s`.
    static int fit(double total_s, Seconds once) {
        return static_cast<int>(std::ceil(total_s / once.value()));
    }
};

/// in_step: whole steps in order. Pairs of a step timed row by row and one timed as a whole, with
/// no waiting in either, so that both meet the same disturbance; while some rows have too few quiet
/// samples, every other step waits before them instead.
class StepSession : Session {
public:
    using Session::Session;

    bool run() {
        execute_all();
        int visit = next_visit(samples_.step);
        for (const auto& row : samples_.rows) visit = std::max(visit, next_visit(row));
        for (bool first = true; first || !complete(); first = false, ++visit) {
            if (sink_.stop_requested()) return false;
            const bool paired = task_.time_step && (!few_quiet() || visit % 2 == 0);
            const auto by_row = step_by_row(visit, !paired);
            if (paired) samples_.step.push_back(whole_step(visit));
            taker_.hand_over(tracker_);
            for (std::size_t row = 0; row < rows(); ++row)
                if (task_.wanted[row]) keep(row, visit, {by_row[row]});
            if (paired) sink_.add_step(visit, samples_.step.back());
            sink_.progress(elapsed(), "step " + std::to_string(visit + 1));
        }
        return true;
    }

private:
    void execute_all() {
        for (const auto& kernel : task_.kernels) kernel->execute();
    }

    [[nodiscard]] bool complete() {
        if (out_of_time()) return true;
        if (task_.time_step && !step_is_known()) return false;
        for (std::size_t row = 0; row < rows(); ++row)
            if (task_.wanted[row] && !done(row)) return false;
        return true;
    }

    [[nodiscard]] bool step_is_known() const {
        const auto needed = static_cast<std::size_t>(protocol_.step_repetitions);
        const std::size_t known = samples_.step.size();
        // The ratio costs known^2, so it is looked at now and then only.
        if (known < needed || known % needed != 0) return false;
        if (settled(samples_.step, protocol_)) return true;
        const auto pairs = step_pairs(samples_, task_.wanted);
        if (pairs.size() < 3) return false;
        const StepRatio ratio = step_ratio(pairs);
        return ratio.high - ratio.low <= 2 * protocol_.step_interval * ratio.ratio;
    }

    /// Some row still lacks the quiet samples that it takes to settle.
    [[nodiscard]] bool few_quiet() const {
        for (std::size_t row = 0; row < rows(); ++row)
            if (task_.wanted[row] && quiet_count(samples_.rows[row]) < protocol_.settled_quiet)
                return true;
        return false;
    }

    std::vector<Sample> step_by_row(int visit, bool may_wait) {
        std::vector<char> wait(rows(), 0);
        for (std::size_t row = 0; row < rows(); ++row)
            wait[row] = may_wait && task_.wanted[row] && !done(row);
        std::vector<Sample> taken(rows());
        taker_.look();
        for (std::size_t row = 0; row < rows(); ++row) {
            if (wait[row]) taker_.wait_for_quiet();
            Kernel& kernel = *task_.kernels[row];
            taken[row] = taker_.take([&] { kernel.execute(); }, 1, visit);
        }
        return taken;
    }

    Sample whole_step(int visit) {
        return taker_.take([&] { execute_all(); }, 1, visit);
    }
};

}  // namespace

bool sample(const SamplingTask& task, const Protocol& protocol, Instruments& instruments,
            SampleSet& samples, SampleSink& sink, QuietTracker& tracker) {
    if (task.state == CacheState::in_step)
        return StepSession(task, protocol, instruments, samples, sink, tracker).run();
    return RoundSession(task, protocol, instruments, samples, sink, tracker).run();
}

std::vector<StepPair> step_pairs(const SampleSet& samples, const std::vector<bool>& wanted) {
    std::map<int, StepPair> by_visit;
    std::map<int, std::size_t> rows_seen;
    for (std::size_t row = 0; row < samples.rows.size(); ++row) {
        if (!wanted[row]) continue;
        for (const auto& sample : samples.rows[row]) {
            by_visit[sample.visit].rows += sample.raw_time;
            ++rows_seen[sample.visit];
        }
    }
    const auto all = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
    std::vector<StepPair> pairs;
    for (const auto& whole : samples.step) {
        if (rows_seen[whole.visit] != all) continue;
        by_visit[whole.visit].step = whole.raw_time;
        pairs.push_back(by_visit[whole.visit]);
    }
    return pairs;
}

}  // namespace ridge::clock
