#include "report/rows_table.hpp"

#include <fmt/format.h>

#include "report/palette.hpp"
#include "report/row_text.hpp"
#include "ridge/benchdnn.hpp"
#include "ridge/counter_names.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

/// One column: how it is headed and what it says of a row. To add a column, add a line.
struct RowColumn {
    Column column;
    Cell (*cell)(const RowAnalysis&);
};

Cell milliseconds(Seconds time) {
    return Cell::number(time.value() * 1e3, 3);
}
Cell milliseconds(const std::optional<Seconds>& time) {
    return time ? milliseconds(*time) : Cell::missing();
}
Cell mega(double value) {
    return Cell::number(value / 1e6, 2);
}

Cell counter_cell(const RowAnalysis& row, const char* name, double scale) {
    const auto found = row.row.counters.find(name);
    if (found == row.row.counters.end() || !found->second.available()) return Cell::missing();
    return Cell::number(found->second.value() * scale, scale == 1 ? 0 : 2);
}

/// Arguments of benchdnn for the row; empty where it has no such problem.
std::string reproduction(const RowAnalysis& row) {
    try {
        Layer layer = parse_layer(row.row.problem);
        layer.dtype = row.row.dtype;
        layer.name.clear();
        return benchdnn_line(layer, row.row.key.pass).value_or("");
    } catch (const Error&) {
        return {};  // a problem of another program that Ridgepoint cannot read
    }
}

const Column text(const char* header, const char* group, const char* source = "") {
    return {.header = header, .source = source, .group = group};
}
const Column number(const char* header, const char* unit, const char* group, const char* source) {
    return {
        .header = header, .unit = unit, .align = Align::right, .source = source, .group = group};
}

const std::vector<RowColumn>& columns() {
    using Row = RowAnalysis;
    static const std::vector<RowColumn> all{
        {text("Layer", ""), [](const Row& r) { return Cell(r.row.key.layer); }},
        {number("#", "", "", ""), [](const Row& r) { return Cell::count(r.row.ordinal); }},
        {text("Pass", ""),
         [](const Row& r) { return Cell(std::string(to_string(r.row.key.pass))); }},
        {text("Kind", ""), [](const Row& r) { return Cell(title_of(shown_kind(r.row))); }},
        {number("Time", "ms", "", "measured"),
         [](const Row& r) { return milliseconds(r.row.time.time); }},
        {number("Spread", "ms", "", "measured"),
         [](const Row& r) { return milliseconds(r.row.time.spread); }},
        {number("Share", "%", "", "measured"),
         [](const Row& r) { return Cell::number(r.share_of_step * 100, 2); }},
        {text("Bound", ""), [](const Row& r) { return Cell(bound_text(r)); }},
        {number("Of roof", "%", "", "measured"),
         [](const Row& r) { return Cell::number(r.attained * 100, 1); }},
        {number("Saved", "ms", "", "measured"),
         [](const Row& r) { return milliseconds(r.saved_at_roof); }},
        {text("Verdict", ""), [](const Row& r) { return Cell(r.verdict); }},
        {text("Flags", ""),
         [](const Row& r) {
             std::string flags;
             for (const auto& flag : r.flags) flags += (flags.empty() ? "" : "; ") + flag;
             return Cell(flags);
         }},
        {text("Part", ""), [](const Row& r) { return Cell(r.row.key.part); }},
        {text("Next bound", "roofline"), [](const Row& r) { return Cell(r.runner_up); }},
        {number("FLOPs", "MFLOP", "roofline", "algorithmic"),
         [](const Row& r) { return mega(r.useful_flops.value()); }},
        {number("Rate", "GFLOP/s", "roofline", "measured"),
         [](const Row& r) {
             return r.rate ? Cell::number(r.rate->value() / 1e9, 2) : Cell::missing();
         }},
        {number("Roof", "GFLOP/s", "roofline", "machine"),
         [](const Row& r) {
             return r.roof ? Cell::number(r.roof->value() / 1e9, 2) : Cell::missing();
         }},
        {number("Traffic", "MB", "roofline", "see Bytes from"),
         [](const Row& r) { return mega(r.bytes.value()); }},
        {text("Bytes from", "roofline"),
         [](const Row& r) { return Cell(std::string(to_string(r.bytes_source))); }},
        {number("Traffic rate", "GB/s", "roofline", "measured"),
         [](const Row& r) { return Cell::number(r.traffic_rate.value() / 1e9, 2); }},
        {text("Level", "roofline"), [](const Row& r) { return Cell(r.level); }},
        {number("Bandwidth", "GB/s", "roofline", "machine"),
         [](const Row& r) {
             return r.bandwidth ? Cell::number(r.bandwidth->value() / 1e9, 2) : Cell::missing();
         }},
        {number("Intensity", "FLOP/B", "roofline", "FLOPs / Traffic"),
         [](const Row& r) {
             return r.intensity ? Cell::number(r.intensity->value(), 2) : Cell::missing();
         }},
        {number("Executed FLOPs", "MFLOP", "details", "see Executed from"),
         [](const Row& r) {
             return r.executed_flops.available() ? mega(r.executed_flops.value()) : Cell::missing();
         }},
        {text("Executed from", "details"),
         [](const Row& r) {
             return r.executed_flops.available()
                        ? Cell(std::string(to_string(r.executed_flops.source())))
                        : Cell("unavailable: " + r.executed_flops.reason());
         }},
        {number("Instructions", "million", "details", "traced"),
         [](const Row& r) { return counter_cell(r, counter::instructions, 1e-6); }},
        {number("SSE/AVX transitions", "", "details", "traced"),
         [](const Row& r) { return counter_cell(r, counter::sse_transitions, 1); }},
        {number("Traced", "%", "details", "of the tensors' lines"),
         [](const Row& r) { return counter_cell(r, counter::traced_share, 100); }},
        {text("Not traced", "details"),
         [](const Row& r) {
             const auto rest = r.row.counters.find(counter::untraced_work);
             return rest == r.row.counters.end() ? Cell() : Cell(rest->second.reason());
         }},
        {number("Minimum bytes", "MB", "details", "algorithmic"),
         [](const Row& r) { return mega(r.minimum_bytes.value()); }},
        {number("Footprint", "MB", "details", "algorithmic"),
         [](const Row& r) { return mega(r.footprint.value()); }},
        {number("Samples", "", "sampling", "measured"),
         [](const Row& r) { return Cell::count(r.row.time.samples); }},
        {number("Quiet", "", "sampling", "measured"),
         [](const Row& r) { return Cell::count(r.row.time.quiet_samples); }},
        {text("Settled", "sampling"),
         [](const Row& r) {
             return Cell(r.row.time.upper_bound ? "upper bound"
                         : r.row.time.settled   ? "yes"
                                                : "no");
         }},
        {number("Raw minimum", "ms", "sampling", "measured"),
         [](const Row& r) { return milliseconds(r.row.time.raw_min); }},
        {number("Raw median", "ms", "sampling", "measured"),
         [](const Row& r) { return milliseconds(r.row.time.median); }},
        {number("Creation", "ms", "cost", "measured"),
         [](const Row& r) { return milliseconds(r.row.creation); }},
        {number("First call", "ms", "cost", "measured"),
         [](const Row& r) { return milliseconds(r.row.first_call); }},
        {number("Scratchpad", "MB", "cost", "library"),
         [](const Row& r) {
             return r.row.scratchpad ? mega(r.row.scratchpad->value()) : Cell::missing();
         }},
        {text("Implementation", "details"),
         [](const Row& r) { return Cell(r.row.implementation); }},
        {text("Problem", "details"), [](const Row& r) { return Cell(r.row.problem); }},
        {text("Formats", "details"), [](const Row& r) { return Cell(r.row.formats); }},
        {text("benchdnn", "details"), [](const Row& r) { return Cell(reproduction(r)); }},
    };
    return all;
}

}  // namespace

Table rows_table(const RunAnalysis& run) {
    std::vector<Column> heads;
    for (const auto& column : columns()) heads.push_back(column.column);
    Table table(std::move(heads));
    for (const RowAnalysis& row : run.rows) {
        std::vector<Cell> cells;
        for (const auto& column : columns()) cells.push_back(column.cell(row));
        table.add_row(std::move(cells));
    }
    return table;
}

}  // namespace ridge::report
