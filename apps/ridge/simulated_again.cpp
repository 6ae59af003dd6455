#include "apps/ridge/simulated_again.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "apps/ridge/collect_job.hpp"
#include "apps/ridge/count_rows.hpp"
#include "ridge/error.hpp"
#include "ridge/kept_caches.hpp"
#include "ridge/progress.hpp"
#include "ridge/tracer.hpp"

namespace ridge::app {
namespace {

/// Nobody waits longer for the answer to a what-if question.
const Seconds budget(120);

class Kept final : public CounterSink {
public:
    void add_counters(std::size_t, const Counters&) override {}
    bool stop_requested() override { return interrupted(); }
};

std::string not_here(const RunInfo& info) {
    if (info.counters.find("traced") == std::string::npos) return "the run was not traced";
    if (const std::string reason = tracer_unavailable(); !reason.empty()) return reason;
    if (info.threads > usable_thread_count())
        return fmt::format("the run has {} threads, this machine {} cores", info.threads,
                           usable_thread_count());
    return {};
}

/// Row of the run for each kernel of the step; null where the run has none. Empty when some row of
/// the run has no kernel, or one that is built otherwise.
std::vector<Measurement*> rows_of_kernels(Run& run, const TrainingStep& step) {
    std::map<RowKey, Measurement*> rows;
    for (Measurement& row : run.rows) rows[row.key] = &row;
    std::vector<Measurement*> found;
    std::size_t matched = 0;
    for (const auto& kernel : step.kernels) {
        const Measurement& here = kernel->description();
        const auto row = rows.find(here.key);
        found.push_back(row == rows.end() ? nullptr : row->second);
        if (row == rows.end()) continue;
        const Measurement& there = *row->second;
        if (here.problem != there.problem || here.implementation != there.implementation ||
            here.formats != there.formats)
            return {};
        ++matched;
    }
    if (matched != run.rows.size()) return {};
    return found;
}

bool is_bytes(const std::string& name) {
    return name.ends_with("_bytes");
}

/// Bytes hold for the caches they crossed, whoever counted them.
void replace_bytes(Measurement& row, const Counters& counters) {
    std::erase_if(row.counters, [](const auto& entry) { return is_bytes(entry.first); });
    for (const auto& [name, reading] : counters)
        if (is_bytes(name)) row.counters.emplace(name, reading);
}

}  // namespace

std::string simulate_again(Run& run, const HierarchySpec& caches) {
    if (std::string reason = not_here(run.info); !reason.empty()) return reason;
    TrainingStep step;
    try {
        step = rebuild_step(run.info);
    } catch (const Error& error) {
        return error.what();
    }
    const std::vector<Measurement*> rows = rows_of_kernels(run, step);
    if (rows.empty()) return "the library chooses other kernels on this machine";
    CountingTask task;
    task.step = &step;
    for (const Measurement* row : rows) task.wanted.push_back(row != nullptr);
    task.caches = caches;
    task.state = run.info.state;
    task.threads = run.info.threads;
    task.budget = budget;
    std::vector<Counters> counters(rows.size());
    Kept sink;
    if (!count_rows(task, counters, sink).finished) return "interrupted";
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] != nullptr) replace_bytes(*rows[i], counters[i]);
    run.info.simulated_caches = describe_caches(caches);
    return {};
}

}  // namespace ridge::app
