#include "apps/ridge/count_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "ridge/format.hpp"
#include "ridge/progress.hpp"

namespace ridge::app {
namespace {

/// Keeps the counters of each row as they are counted, beside its summary.
class StoringCounters final : public CounterSink {
public:
    StoringCounters(RunStore& store, std::int64_t run, const std::vector<Measurement>& rows)
        : store_(store), run_(run), rows_(rows) {}
    void add_counters(std::size_t row, const Counters& counters) override {
        Measurement counted = rows_[row];
        counted.counters = counters;
        store_.put_row(run_, counted);
    }
    bool stop_requested() override { return interrupted(); }

private:
    RunStore& store_;
    std::int64_t run_;
    const std::vector<Measurement>& rows_;
};

bool has_measured(const Counters& counters) {
    return std::any_of(counters.begin(), counters.end(), [](const auto& entry) {
        return entry.second.available() && entry.second.source() == Source::measured;
    });
}

/// What the processor counted replaces what was traced under the same name; that it could not be
/// counted does not.
void add_measured(Counters& counters, const Counters& measured) {
    for (const auto& [name, reading] : measured)
        if (reading.available())
            counters.insert_or_assign(name, reading);
        else
            counters.try_emplace(name, reading);
}

bool count_by_hardware(const RunCounting& counting, CounterSink& sink,
                       std::vector<Counters>& counters) {
    const TrainingStep& step = *counting.task.step;
    const std::size_t rows = step.kernels.size();
    Progress progress("counting", static_cast<double>(rows), counting.task.quiet);
    for (std::size_t i = 0; i < rows; ++i) {
        if (sink.stop_requested()) return false;
        progress.update(static_cast<double>(i), step.kernels[i]->description().key.layer);
        if (!counting.task.wanted[i] || has_measured(counters[i])) continue;
        add_measured(counters[i], count_row(*counting.choice.hardware->session, step, i,
                                            counting.task.state, counting.flush_bytes));
        sink.add_counters(i, counters[i]);
    }
    return true;
}

}  // namespace

std::vector<Counters> counters_so_far(const RunStore& store, std::int64_t run,
                                      const TrainingStep& step) {
    std::map<RowKey, Counters> stored;
    for (Measurement& row : store.load_run(run).rows) stored[row.key] = std::move(row.counters);
    std::vector<Counters> counters;
    for (const auto& kernel : step.kernels) counters.push_back(stored[kernel->description().key]);
    return counters;
}

bool count_run(const RunCounting& counting, RunStore& store, std::int64_t run,
               std::vector<Counters>& counters) {
    StoringCounters sink(store, run, counting.rows);
    if (counting.choice.traced) {
        const CountingResult result = count_rows(counting.task, counters, sink);
        if (!result.finished) return false;
        if (!counting.task.quiet)
            fmt::print(stderr, "ridge: {} distinct kernels traced in {}\n", result.traced,
                       format(result.time));
    }
    return !counting.choice.hardware || count_by_hardware(counting, sink, counters);
}

}  // namespace ridge::app
