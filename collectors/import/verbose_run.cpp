#include "collectors/import/verbose_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectors/import/verbose_layer.hpp"
#include "collectors/import/verbose_rows.hpp"
#include "collectors/import/warm_up.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

constexpr std::size_t most_samples = 64;
/// The clock of oneDNN counts milliseconds since 1970 in a double: its steps are 2^-12 ms.
constexpr double quantum_s = 1e-3 / 4096;

/// One row to be: the executions of one place in the step, or of one group.
struct Place {
    std::uint32_t group = 0;
    std::vector<double> times_ms;  ///< timed executions in order
};

/// Times of each place of the step, and those of whole steps.
struct Steps {
    Repetition repetition;
    std::vector<Place> places;
    std::vector<double> step_ms;
};

Steps repeating_steps(const VerboseLog& log) {
    std::vector<std::uint32_t> sequence;
    sequence.reserve(log.events.size());
    for (const VerboseEvent& event : log.events) sequence.push_back(event.group);
    Steps steps;
    steps.repetition = find_repetition(sequence);
    const auto& [starts, length] = steps.repetition;
    if (starts.empty()) return steps;
    steps.places.resize(length);
    for (std::size_t i = 0; i < length; ++i) steps.places[i].group = sequence[starts[0] + i];
    for (const std::size_t start : starts) {
        double sum = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const double time = log.events[start + i].time_ms;
            if (time < 0) continue;
            sum += time;
            steps.places[i].times_ms.push_back(time);
        }
        steps.step_ms.push_back(sum);
    }
    return steps;
}

/// Without a step: one place for each group, in the order in which they first ran.
std::vector<Place> places_of_groups(const VerboseLog& log) {
    std::vector<Place> places;
    std::map<std::uint32_t, std::size_t> place_of;
    for (const VerboseEvent& event : log.events) {
        const auto [known, added] = place_of.try_emplace(event.group, places.size());
        if (added) places.push_back({event.group, {}});
        if (event.time_ms >= 0) places[known->second].times_ms.push_back(event.time_ms);
    }
    return places;
}

/// The median behind the warm-up; its error is not below what the clock can tell.
TimeSummary summary_of(const std::vector<double>& steady_ms, const std::vector<double>& all_ms) {
    TimeSummary summary;
    const double least = *std::min_element(steady_ms.begin(), steady_ms.end());
    const double time_s = median_of(steady_ms) * 1e-3;
    summary.time = Seconds(time_s);
    double spread = time_s - least * 1e-3;
    if (time_s < 50 * quantum_s) spread = std::max(spread, 1e-6);
    summary.spread = Seconds(spread);
    summary.raw_min = Seconds(*std::min_element(all_ms.begin(), all_ms.end()) * 1e-3);
    summary.median = Seconds(median_of(all_ms) * 1e-3);
    summary.samples = static_cast<int>(std::min<std::size_t>(all_ms.size(), 1u << 30));
    summary.upper_bound = true;  // oneDNN waits around what it times, and nobody watched the core
    return summary;
}

/// At most `most_samples` of the times, spread over all of them.
std::vector<double> thinned_s(const std::vector<double>& times_ms) {
    std::vector<double> result;
    const std::size_t every = (times_ms.size() + most_samples - 1) / most_samples;
    for (std::size_t i = 0; i < times_ms.size(); i += every) result.push_back(times_ms[i] * 1e-3);
    return result;
}

VerboseRow make_row(const VerboseGroup& group, const NamedExecution& named, const Place& place,
                    std::size_t warm_up) {
    VerboseRow result;
    const auto& times = place.times_ms;
    result.executions = static_cast<std::int64_t>(times.size());
    result.warm_up = static_cast<std::int64_t>(warm_up);
    for (const double time : times) result.total_ms += time;
    result.reference = group.reference;
    const std::vector<double> steady(times.begin() + static_cast<long>(warm_up), times.end());
    Measurement& row = result.row;
    row.key = named.key;
    row.kind = named.kind;
    row.problem = named.problem;
    row.dtype = storage_type(group.record);
    row.implementation = group.record.implementation;
    row.formats = formats_of(group.record);
    row.time = summary_of(steady, times);
    row.first_call = Seconds(times.front() * 1e-3);
    if (group.creations > 0) row.creation = Seconds(group.longest_create_ms * 1e-3);
    result.samples_s = thinned_s(steady);
    return result;
}

/// What takes most of the time decides the type of the run.
DataType main_type(const std::vector<VerboseRow>& rows) {
    std::map<DataType, double> time;
    for (const auto& row : rows)
        if (row.row.kind != LayerKind::reorder) time[row.row.dtype] += row.total_ms;
    if (time.empty()) return rows.front().row.dtype;
    return std::max_element(time.begin(), time.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

/// Images in a step: what most of the time is spent with.
std::int64_t main_batch(const std::vector<VerboseRow>& rows) {
    std::map<std::int64_t, double> time;
    for (const auto& row : rows) {
        if (row.row.kind == LayerKind::reorder || row.row.kind == LayerKind::matmul) continue;
        try {
            time[parse_layer(row.row.problem).dims.mb] += row.total_ms;
        } catch (const Error&) {
            continue;  // a kind that Ridgepoint does not have says nothing of the batch
        }
    }
    if (time.empty()) return 1;
    return std::max_element(time.begin(), time.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

RunInfo run_info(const VerboseLog& log, const VerboseRunOptions& options, const VerboseRun& run) {
    RunInfo info;
    info.network = options.name;
    info.machine = options.machine;
    info.threads = options.threads > 0           ? options.threads
                   : log.threads > 0             ? log.threads
                   : options.machine_threads > 0 ? options.machine_threads
                                                 : 1;
    info.dtype = main_type(run.rows);
    info.batch = main_batch(run.rows);
    info.state = run.steps > 0 ? CacheState::in_step : CacheState::warm;
    info.library = "onednn";
    info.started_at = options.imported_at;
    info.complete = true;
    info.command = options.command;
    info.environment.library = "onednn";
    for (const auto& version : log.versions)
        info.environment.library_version +=
            (info.environment.library_version.empty() ? "" : " and ") + version;
    info.environment.library_isa = log.isa;
    info.environment.threads = info.threads;
    info.environment.ridge_version = options.ridge_version;
    info.protocol = fmt::format(
        "imported from a log of {} executions; {}; medians behind the warm-up of times that "
        "include oneDNN's own waiting (upper bounds)",
        log.timed + log.untimed,
        run.steps > 0 ? fmt::format("{} steps of {} executions, the first {} warm-up", run.steps,
                                    run.step_executions, run.warm_up_steps)
                      : std::string("no step repeats, each problem is one row"));
    return info;
}

void note_threads(const VerboseLog& log, const VerboseRunOptions& options, VerboseRun& run) {
    if (options.threads > 0 || log.threads > 0) return;
    run.notes.push_back(fmt::format(
        "threads: the log does not say how many ran; {} taken ({}); --threads N tells",
        run.info.threads, options.machine_threads > 0 ? "the machine's cores" : "nothing better"));
}

void add_notes(const VerboseLog& log, VerboseRun& run) {
    auto& notes = run.notes;
    if (log.harness)
        notes.push_back(fmt::format(
            "harness: benchdnn ran this; its fills and comparisons are among the {:.6g} ms of "
            "reorders ({:.1f} % of all)",
            log.reorder_ms, log.exec_ms > 0 ? 100 * log.reorder_ms / log.exec_ms : 0));
    if (log.untimed > 0)
        notes.push_back(
            fmt::format("no time: {} executions (GPU lines of old releases and of asynchronous "
                        "queues have none); they are in no row",
                        log.untimed));
    if (log.damaged > 0)
        notes.push_back(
            fmt::format("damaged: {} lines cannot be read and are left out", log.damaged));
    if (log.lost > 0)
        notes.push_back(
            fmt::format("interleaved: {} records were cut by another in the same line", log.lost));
    if (log.last_time_cut) notes.push_back("cut: the log ends within a number, which is not used");
    if (log.graph > 0)
        notes.push_back(
            fmt::format("graph: {} executions of oneDNN Graph partitions ({:.6g} ms) "
                        "are counted apart: their primitives may be listed as well",
                        log.graph, log.graph_ms));
    for (const auto& [kind, count] : log.unknown_kinds)
        notes.push_back(fmt::format("unknown kind '{}': {} executions, time only", kind, count));
    if (log.ungrouped > 0)
        notes.push_back(
            fmt::format("{} executions ({:.6g} ms) beyond the first {} problems are "
                        "in no row",
                        log.ungrouped, log.ungrouped_ms, most_groups));
    if (log.events_cut)
        notes.push_back(
            fmt::format("steps and medians rest on the first {} executions; sums are "
                        "of all",
                        log.events.size()));
    if (run.outside > 0)
        notes.push_back(
            fmt::format("outside: {} executions ({:.6g} ms) are in none of the repeating steps and "
                        "in no row",
                        run.outside, run.outside_ms));
    if (log.versions.size() > 1)
        notes.push_back("several logs: the library tells more than one version of itself");
}

}  // namespace

VerboseRun make_run(const VerboseLog& log, const VerboseRunOptions& options,
                    const std::string& file) {
    VerboseRun run;
    Steps steps = repeating_steps(log);
    const bool repeats = !steps.repetition.starts.empty();
    if (repeats) {
        run.steps = static_cast<std::int64_t>(steps.repetition.starts.size());
        run.step_executions = steps.repetition.length;
        run.warm_up_steps = warm_up_of(steps.step_ms);
    }
    const std::vector<Place> places = repeats ? std::move(steps.places) : places_of_groups(log);

    std::vector<const VerboseRecord*> records;
    for (const Place& place : places) records.push_back(&log.groups[place.group].record);
    const auto names = name_executions(records);
    double in_rows_ms = 0;
    std::int64_t in_rows = 0;
    std::set<std::string> unknown;
    for (std::size_t i = 0; i < places.size(); ++i) {
        Place place = places[i];
        // Below the clock's resolution a time is printed as 0: there is none then.
        std::erase(place.times_ms, 0.0);
        if (place.times_ms.empty()) continue;
        const std::size_t warm_up =
            repeats && place.times_ms.size() == static_cast<std::size_t>(run.steps)
                ? run.warm_up_steps
                : warm_up_of(place.times_ms);
        run.rows.push_back(make_row(log.groups[place.group], names[i], place, warm_up));
        run.rows.back().row.ordinal = static_cast<int>(i);
        in_rows += run.rows.back().executions;
        in_rows_ms += run.rows.back().total_ms;
        if (!names[i].unknown.empty()) unknown.insert(names[i].problem + ": " + names[i].unknown);
    }
    if (run.rows.empty())
        throw bad_input(file, "an execution with a time",
                        fmt::format("{} executions without", log.untimed));
    if (!log.events_cut) {
        run.outside = log.timed - log.ungrouped - in_rows;
        run.outside_ms = std::max(0.0, log.exec_ms - log.ungrouped_ms - in_rows_ms);
    }
    run.info = run_info(log, options, run);
    note_threads(log, options, run);
    add_notes(log, run);
    for (const auto& line : unknown) run.notes.push_back("time only: " + line);
    return run;
}

std::string run_document(const VerboseRun& run) {
    std::vector<const ImportedRow*> rows;
    for (const VerboseRow& row : run.rows) rows.push_back(&row);
    return run_document(run.info, rows);
}

}  // namespace ridge::import
