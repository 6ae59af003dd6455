#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/palette.hpp"
#include "report/row_text.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

double share_of(Seconds part, Seconds whole) {
    return whole.value() > 0 ? part / whole : 0;
}

template <class Entry>
std::vector<Entry> longest_first(std::vector<Entry> entries, Seconds sum) {
    for (auto& entry : entries) entry.share = share_of(entry.time, sum);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.time > b.time; });
    return entries;
}

template <class Map>
auto values_of(const Map& map) {
    std::vector<typename Map::mapped_type> values;
    for (const auto& [key, value] : map) values.push_back(value);
    return values;
}

}  // namespace

Summary summarise(const RunAnalysis& run) {
    Summary summary;
    std::map<std::string, BoundShare> bounds;
    std::map<LayerKind, KindShare> kinds;
    Seconds uncertain;
    for (const RowAnalysis& row : run.rows) {
        const TimeSummary& time = row.row.time;
        BoundShare& bound = bounds[bound_text(row)];
        bound.what = bound_text(row);
        ++bound.rows;
        bound.time += time.time;
        KindShare& kind = kinds[shown_kind(row.row)];
        kind.kind = shown_kind(row.row);
        ++kind.rows;
        kind.time += time.time;
        kind.useful_flops += row.useful_flops;
        summary.saved_at_roof += row.saved_at_roof;
        if (row.saved_at_roof.value() > 0) summary.savings.push_back(&row);
        Trust& trust = summary.trust;
        ++trust.rows;
        trust.settled += time.settled;
        trust.upper_bound += time.upper_bound;
        trust.flagged += !row.flags.empty();
        trust.samples += time.samples;
        trust.quiet_samples += time.quiet_samples;
        if (time.upper_bound) uncertain += time.time;
    }
    summary.bounds = longest_first(values_of(bounds), run.sum);
    summary.kinds = longest_first(values_of(kinds), run.sum);
    summary.trust.upper_bound_share = share_of(uncertain, run.sum);
    std::stable_sort(summary.savings.begin(), summary.savings.end(),
                     [](const RowAnalysis* a, const RowAnalysis* b) {
                         return a->saved_at_roof > b->saved_at_roof;
                     });
    return summary;
}

std::string run_title(const RunInfo& info) {
    const Environment& e = info.environment;
    std::string library = e.library.empty() ? info.library : e.library;
    if (!e.library_version.empty()) library += " " + e.library_version;
    if (!e.library_isa.empty()) library += " (" + e.library_isa + ")";
    return fmt::format("{}, batch {}, {}, {} thread{}, {}, {}", info.network, info.batch,
                       to_string(info.dtype), info.threads, info.threads == 1 ? "" : "s", library,
                       to_string(info.state));
}

std::string step_text(const RunAnalysis& run) {
    if (!run.step) return "not measured in this run";
    const StepTime& step = *run.step;
    return fmt::format("{}{}, between {} and {} (90 %)", step.time.upper_bound ? "≤ " : "",
                       format(step.time.time), format(step.interval_low),
                       format(step.interval_high));
}

std::string coverage_text(const Coverage& coverage) {
    constexpr std::size_t most = 4;
    constexpr double worth_naming = 0.0005;  // of the time: prints as 0.1 %
    std::string text =
        fmt::format("{} of the step's time traced and simulated, {} analytic, {} none",
                    format_percent(coverage.traced), format_percent(coverage.analytic),
                    format_percent(coverage.none));
    std::size_t named = 0;
    for (const CoverageGap& gap : coverage.gaps) {
        if (named == most || gap.share < worth_naming) break;
        text += fmt::format("{}{} {} ({} row{}{})", named++ == 0 ? ": " : ", ", gap.implementation,
                            format_percent(gap.share), gap.rows.size(),
                            gap.rows.size() == 1 ? "" : "s", gap.partly ? ", in part" : "");
    }
    if (named > 0 && coverage.gaps.size() > named)
        text += fmt::format(" and {} more", coverage.gaps.size() - named);
    return text + ".";
}

std::string bytes_text(const RunAnalysis& run) {
    std::map<Source, Seconds> sources;
    for (const RowAnalysis& row : run.rows)
        if (!row.level.empty()) sources[row.bytes_source] += row.row.time.time;
    std::string text;
    for (const auto& [source, time] : sources)
        text += fmt::format("{}{} for {} of the time", text.empty() ? "" : ", ", to_string(source),
                            format_percent(share_of(time, run.sum)));
    if (sources.contains(Source::algorithmic))
        text += fmt::format("{}algorithmic ones are the least that a pass must move",
                            text.empty() ? "" : "; ");
    return text.empty() ? "No bytes are known." : "Bytes are " + text + ".";
}

std::vector<std::string> findings(const RunAnalysis& run, const Summary& summary) {
    std::vector<std::string> lines;
    lines.push_back(fmt::format("Convolution takes {} of the step's layer time.",
                                format_percent(run.convolution_share)));
    if (run.step && run.sum_over_step)
        lines.push_back(
            fmt::format("The rows add up to {}; the step as a whole takes {}: ratio {:.3f}.",
                        format(run.sum), step_text(run), *run.sum_over_step));
    else
        lines.push_back(fmt::format("The rows add up to {}; the step as a whole was {}.",
                                    format(run.sum), step_text(run)));
    std::string bounds;
    for (const auto& bound : summary.bounds)
        bounds += fmt::format("{}{} {}", bounds.empty() ? "" : ", ", bound.what,
                              format_percent(bound.share));
    if (!bounds.empty()) lines.push_back(fmt::format("What bounds the time: {}.", bounds));
    if (run.info.counters != "none")
        lines.push_back("FLOPs, bytes and verdicts: " + coverage_text(run.coverage));
    if (!summary.savings.empty()) {
        const RowAnalysis& first = *summary.savings.front();
        lines.push_back(fmt::format(
            "At their roofs all rows together would take {} less ({}); most of it in {}: {}.",
            format(summary.saved_at_roof), format_percent(share_of(summary.saved_at_roof, run.sum)),
            row_title(first.row), format(first.saved_at_roof)));
    }
    return lines;
}

std::vector<std::string> caveats(const RunAnalysis& run, const Summary& summary) {
    const Trust& trust = summary.trust;
    std::vector<std::string> lines;
    if (!run.info.complete)
        lines.push_back("The run is not complete; ridge collect --resume continues it.");
    if (trust.upper_bound > 0)
        lines.push_back(fmt::format(
            "{} of {} rows ({} of the time) had too few undisturbed samples: their times are upper "
            "bounds.",
            trust.upper_bound, trust.rows, format_percent(trust.upper_bound_share)));
    if (trust.samples > 0 && 2 * trust.quiet_samples < trust.samples)
        lines.push_back(
            fmt::format("Only {} of {} samples were undisturbed; other work was "
                        "running on this machine.",
                        trust.quiet_samples, trust.samples));
    if (trust.rows > 0 && trust.settled < trust.rows)
        lines.push_back(
            fmt::format("{} of {} rows settled; the others keep their smallest quiet "
                        "sample, with the spread shown.",
                        trust.settled, trust.rows));
    if (run.sum_over_step && (*run.sum_over_step < 0.95 || *run.sum_over_step > 1.10))
        lines.push_back(
            fmt::format("The rows add up to {:.3f} of the step, outside 0.95 to 1.10: "
                        "something is not in the rows, or was disturbed.",
                        *run.sum_over_step));
    if (trust.flagged > 0)
        lines.push_back(
            fmt::format("{} rows carry a flag; the table says which and why.", trust.flagged));
    if (run.info.machine != run.machine)
        lines.push_back(fmt::format("The roofs are those of {}, the times those of {}.",
                                    run.machine, run.info.machine));
    return lines;
}

Table coverage_table(const Coverage& coverage) {
    constexpr std::size_t most = 6;
    Table table({{.header = "implementation", .shorten_to = 16},
                 right("rows"),
                 right("share", "%"),
                 {.header = "counts"},
                 {.header = "layers", .shorten_to = 12},
                 {.header = "reason", .shorten_to = 20}});
    for (const CoverageGap& gap : coverage.gaps) {
        std::string layers;
        for (std::size_t i = 0; i < std::min(most, gap.rows.size()); ++i)
            layers += fmt::format("{}{} {}{}{}", i == 0 ? "" : ", ", gap.rows[i].layer,
                                  to_string(gap.rows[i].pass), gap.rows[i].part.empty() ? "" : " ",
                                  gap.rows[i].part);
        if (gap.rows.size() > most) layers += fmt::format(" and {} more", gap.rows.size() - most);
        table.add_row({gap.implementation, Cell::count(static_cast<long long>(gap.rows.size())),
                       Cell::number(gap.share * 100, 2),
                       gap.partly     ? "traced in part"
                       : gap.analytic ? "analytic"
                                      : "none",
                       layers, gap.reason});
    }
    return table;
}

Table bounds_table(const Summary& summary) {
    Table table({{.header = "bound by"}, right("rows"), right("time", "ms"), right("share", "%")});
    for (const auto& bound : summary.bounds)
        table.add_row({bound.what, Cell::count(static_cast<long long>(bound.rows)),
                       Cell::number(bound.time.value() * 1e3, 3),
                       Cell::number(bound.share * 100, 1)});
    return table;
}

Table kinds_table(const Summary& summary) {
    Table table({{.header = "kind"},
                 right("rows"),
                 right("time", "ms"),
                 right("share", "%"),
                 right("rate", "GFLOP/s")});
    for (const auto& kind : summary.kinds)
        table.add_row({title_of(kind.kind), Cell::count(static_cast<long long>(kind.rows)),
                       Cell::number(kind.time.value() * 1e3, 3), Cell::number(kind.share * 100, 1),
                       kind.useful_flops.value() > 0 && kind.time.value() > 0
                           ? Cell::number((kind.useful_flops / kind.time).value() / 1e9, 1)
                           : Cell::missing()});
    return table;
}

Table savings_table(const Summary& summary, std::size_t count) {
    Table table({{.header = "row", .shorten_to = 16},
                 right("time", "ms"),
                 right("at roof", "ms"),
                 right("saved", "ms"),
                 {.header = "bound by", .shorten_to = 8},
                 right("of roof", "%")});
    for (std::size_t i = 0; i < std::min(count, summary.savings.size()); ++i) {
        const RowAnalysis& row = *summary.savings[i];
        const double time_ms = row.row.time.time.value() * 1e3;
        const double saved_ms = row.saved_at_roof.value() * 1e3;
        table.add_row({row_title(row.row), Cell::number(time_ms, 3),
                       Cell::number(time_ms - saved_ms, 3), Cell::number(saved_ms, 3),
                       bound_text(row), Cell::number(row.attained * 100, 1)});
    }
    return table;
}

}  // namespace ridge::report
