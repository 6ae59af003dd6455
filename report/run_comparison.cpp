#include "report/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ridge::report {
namespace {

/// A layer's pass with its reorders.
struct PassTime {
    Seconds time;
    bool upper_bound = false;
};
using PassKey = std::pair<std::string, Pass>;
using PassTimes = std::map<PassKey, PassTime>;

PassTimes pass_times(const Run& run) {
    PassTimes times;
    for (const auto& row : run.rows) {
        PassTime& entry = times[{row.key.layer, row.key.pass}];
        entry.time += row.time.time;
        entry.upper_bound = entry.upper_bound || row.time.upper_bound;
    }
    return times;
}

/// Keys that all runs have, in the step order of the first.
std::vector<PassKey> common_keys(const Run& first, const std::vector<PassTimes>& all) {
    std::vector<PassKey> keys;
    std::set<PassKey> seen;
    for (const auto& row : first.rows) {
        PassKey key{row.key.layer, row.key.pass};
        const bool everywhere = std::all_of(all.begin(), all.end(),
                                            [&](const PassTimes& t) { return t.contains(key); });
        if (everywhere && seen.insert(key).second) keys.push_back(std::move(key));
    }
    return keys;
}

Cell time_cell(const PassTime& entry) {
    const double time_ms = entry.time.value() * 1e3;
    return Cell::of(fmt::format("{}{:.3f}", entry.upper_bound ? "≤ " : "", time_ms), time_ms);
}

Cell ratio_cell(Seconds above, Seconds below) {
    return below.value() > 0 ? Cell::number(above / below, 2) : Cell::missing();
}

std::string library_name(const RunInfo& info) {
    return info.environment.library.empty() ? info.library : info.environment.library;
}

}  // namespace

Table library_table(const Run& base, const Run& other) {
    Table table({{.header = "layer", .shorten_to = 12},
                 {.header = "pass"},
                 right(library_name(base.info), "ms"),
                 right(library_name(other.info), "ms"),
                 right("ratio")});
    const std::vector<PassTimes> times{pass_times(base), pass_times(other)};
    PassTime base_sum, other_sum;
    for (const auto& key : common_keys(base, times)) {
        const PassTime &a = times[0].at(key), &b = times[1].at(key);
        table.add_row({key.first, std::string(to_string(key.second)), time_cell(a), time_cell(b),
                       ratio_cell(b.time, a.time)});
        base_sum.time += a.time;
        other_sum.time += b.time;
    }
    table.set_totals({"sum of these rows", "", time_cell(base_sum), time_cell(other_sum),
                      ratio_cell(other_sum.time, base_sum.time)});
    return table;
}

Table scaling_table(std::vector<const Run*> runs) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const Run* a, const Run* b) { return a->info.threads < b->info.threads; });
    std::vector<Column> columns{{.header = "layer", .shorten_to = 12}, {.header = "pass"}};
    std::vector<PassTimes> times;
    for (const Run* run : runs) {
        const int n = run->info.threads;
        columns.push_back(right(fmt::format("{} thread{}", n, n == 1 ? "" : "s"), "ms"));
        times.push_back(pass_times(*run));
    }
    const int fewest = runs.front()->info.threads;
    for (const Run* run : runs) {
        if (run->info.threads == fewest) continue;
        columns.push_back(right(fmt::format("speed-up at {}", run->info.threads)));
        columns.push_back(
            right("efficiency", "%", fmt::format("efficiency_at_{}_percent", run->info.threads)));
    }
    Table table(columns);
    const auto cells_of = [&](std::string layer, std::string pass,
                              const std::vector<PassTime>& entries) {
        std::vector<Cell> cells{std::move(layer), std::move(pass)};
        for (const auto& entry : entries) cells.push_back(time_cell(entry));
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const int threads = runs[i]->info.threads;
            if (threads == fewest) continue;
            cells.push_back(ratio_cell(entries[0].time, entries[i].time));
            const double ideal = static_cast<double>(threads) / fewest;
            cells.push_back(entries[i].time.value() > 0
                                ? Cell::number(entries[0].time / entries[i].time / ideal * 100, 1)
                                : Cell::missing());
        }
        return cells;
    };
    std::vector<PassTime> sums(runs.size());
    for (const auto& key : common_keys(*runs.front(), times)) {
        std::vector<PassTime> entries;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            entries.push_back(times[i].at(key));
            sums[i].time += entries.back().time;
        }
        table.add_row(cells_of(key.first, std::string(to_string(key.second)), entries));
    }
    table.set_totals(cells_of("sum of these rows", "", sums));
    return table;
}

namespace {

bool comparable(const RunInfo& a, const RunInfo& b) {
    return b.complete && a.id != b.id && a.network == b.network && a.batch == b.batch &&
           a.dtype == b.dtype && a.state == b.state;
}

}  // namespace

std::optional<RunInfo> other_library(const RunInfo& info, const std::vector<RunInfo>& infos) {
    for (const auto& candidate : infos)
        if (comparable(info, candidate) && candidate.threads == info.threads &&
            candidate.library != info.library)
            return candidate;
    return std::nullopt;
}

std::vector<RunInfo> other_thread_counts(const RunInfo& info, const std::vector<RunInfo>& infos) {
    std::vector<RunInfo> found;
    std::set<int> seen{info.threads};
    for (const auto& candidate : infos)
        if (comparable(info, candidate) && candidate.library == info.library &&
            seen.insert(candidate.threads).second)
            found.push_back(candidate);
    return found;
}

}  // namespace ridge::report
