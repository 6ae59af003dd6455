#include "apps/ridge/runs_text.hpp"

#include <fmt/format.h>

#include "report/table.hpp"
#include "ridge/format.hpp"

namespace ridge::app {
namespace {

using report::Cell;
using report::right;
using report::Table;

Cell time_cell(Seconds time) {
    return Cell::of(format(time), time.value());
}

Cell time_cell(const std::optional<Seconds>& time) {
    return time ? time_cell(*time) : Cell::missing();
}

/// Nothing while a row lacks its time.
std::optional<Seconds> sum_of(const std::vector<Measurement>& rows) {
    Seconds sum;
    for (const auto& row : rows) {
        if (!(row.time.time.value() > 0)) return std::nullopt;
        sum += row.time.time;
    }
    return sum;
}

std::string how_sure(const TimeSummary& time) {
    if (!(time.time.value() > 0)) return "not summarised";
    if (time.upper_bound) return "upper bound";
    return time.settled ? "settled" : "not settled";
}

std::string text_of(const Table& table, const report::Terminal& terminal) {
    return table.text({.width = terminal.width, .colour = terminal.colour});
}

/// "label    value" for a value that is known.
void add_line(std::string& text, std::string_view label, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<12}{}\n", label, report::printable(value));
}

std::string joined(std::initializer_list<std::string> parts) {
    std::string text;
    for (const auto& part : parts)
        if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string header(const Run& run, bool live) {
    const RunInfo& info = run.info;
    const Environment& environment = info.environment;
    std::string text = fmt::format(
        "Run {}: {}\n", info.id,
        report::printable(
            joined({info.network, fmt::format("batch {}", info.batch),
                    fmt::format("{} thread{}", info.threads, info.threads == 1 ? "" : "s"),
                    std::string(to_string(info.dtype)),
                    fmt::format("state {}", to_string(info.state)), status_of({info, live})})));
    add_line(text, "started", info.started_at);
    add_line(text, "library",
             joined({info.library, environment.library_version, environment.library_isa}));
    add_line(text, "machine",
             joined({info.machine, environment.cpu_model, environment.virtualisation,
                     environment.kernel, environment.governor}));
    if (info.quiet_clock.value() > 0) add_line(text, "times at", format(info.quiet_clock));
    add_line(text, "protocol", info.protocol);
    add_line(text, "command", info.command);
    return text;
}

std::string rows_table(const std::vector<Measurement>& rows, const report::Terminal& terminal) {
    Table table({{.header = "layer", .shorten_to = 10},
                 {.header = "pass"},
                 {.header = "part"},
                 right("time"),
                 right("spread", "%"),
                 right("samples"),
                 right("quiet"),
                 {.header = "estimate"},
                 right("creation"),
                 right("first call"),
                 {.header = "implementation", .shorten_to = 12}});
    for (const auto& row : rows) {
        const TimeSummary& time = row.time;
        const bool known = time.time.value() > 0;
        table.add_row({row.key.layer, std::string(to_string(row.key.pass)), row.key.part,
                       known ? time_cell(time.time) : Cell::missing(),
                       known ? Cell::number(100 * (time.spread / time.time), 1) : Cell::missing(),
                       Cell::count(time.samples), Cell::count(time.quiet_samples), how_sure(time),
                       time_cell(row.creation), time_cell(row.first_call), row.implementation});
    }
    table.set_totals({"sum of the rows", "", "", time_cell(sum_of(rows))});
    return text_of(table, terminal);
}

std::string step_line(const Run& run) {
    if (!run.step) return "Whole step: not measured\n";
    const StepTime& step = *run.step;
    std::string line = fmt::format("Whole step: {} (90 % interval {} to {}; {})",
                                   format(step.time.time), format(step.interval_low),
                                   format(step.interval_high), report::printable(step.method));
    if (const auto sum = sum_of(run.rows))
        line += fmt::format("; sum of the rows / step {:.3f}", *sum / step.time.time);
    return line + "\n";
}

}  // namespace

std::string status_of(const ListedRun& run) {
    if (run.info.complete) return "complete";
    return run.live ? "running" : "interrupted";
}

std::string runs_table(const std::vector<ListedRun>& runs, const report::Terminal& terminal) {
    Table table({right("run"),
                 {.header = "network", .shorten_to = 10},
                 right("batch"),
                 right("threads"),
                 {.header = "dtype"},
                 {.header = "state"},
                 {.header = "library"},
                 {.header = "machine", .shorten_to = 8},
                 {.header = "started (UTC)"},
                 {.header = "status"}});
    for (const auto& run : runs) {
        const RunInfo& info = run.info;
        table.add_row({Cell::count(info.id), info.network, Cell::count(info.batch),
                       Cell::count(info.threads), std::string(to_string(info.dtype)),
                       std::string(to_string(info.state)), info.library, info.machine,
                       info.started_at, status_of(run)});
    }
    return text_of(table, terminal);
}

std::string run_text(const Run& run, bool live, const report::Terminal& terminal) {
    return header(run, live) + "\n" + rows_table(run.rows, terminal) + "\n" + step_line(run);
}

}  // namespace ridge::app
