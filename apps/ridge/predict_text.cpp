#include "apps/ridge/predict_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/terminal.hpp"
#include "ridge/format.hpp"

namespace ridge::app {
namespace {

using report::Cell;

double width_of(const Prediction& p) {
    return 100 * (p.high.value() - p.low.value()) / 2 / p.time.value();
}

bool has_measured(const PredictedStep& step) {
    return std::any_of(step.rows.begin(), step.rows.end(),
                       [](const PredictedRow& row) { return row.measured.has_value(); });
}

/// What would bind next.
std::string second_of(const Prediction& p) {
    const bool adds = p.terms.size() > 1 && p.terms[1].contribution.value() > 0;
    return adds ? p.terms[1].resource : "";
}

Json json_of(const Prediction& p) {
    Json terms = Json::array();
    for (const PredictionTerm& term : p.terms)
        terms.push_back({{"resource", term.resource},
                         {"time_s", term.time.value()},
                         {"contribution_s", term.contribution.value()},
                         {"detail", term.detail}});
    Json outside = Json::array();
    for (const OutOfRange& out : p.out_of_range)
        outside.push_back({{"dimension", out.dimension},
                           {"value", json_number(out.value)},
                           {"lowest", json_number(out.lowest)},
                           {"highest", json_number(out.highest)},
                           {"note", out.note}});
    return {{"time_s", p.time.value()}, {"low_s", p.low.value()}, {"high_s", p.high.value()},
            {"coverage", p.coverage},   {"binding", p.binding},   {"model", p.model},
            {"kernel_class", p.kernel}, {"terms", terms},         {"out_of_range", outside}};
}

/// Rows that were both predicted and measured: the mean of their errors, and their sums.
void print_measured(const PredictedStep& step) {
    double predicted = 0, measured = 0, error = 0;
    int rows = 0;
    for (const PredictedRow& row : step.rows) {
        if (!row.measured || !row.row.unavailable.empty()) continue;
        predicted += row.prediction.time.value();
        measured += row.measured->value();
        error += std::abs(row.prediction.time / *row.measured - 1);
        ++rows;
    }
    if (rows == 0) return;
    fmt::print("{} rows measured: {} against {} predicted, off by {:.1f} % in the mean of rows\n",
               rows, format(Seconds(measured)), format(Seconds(predicted)), 100 * error / rows);
}

void print_terms(const PredictedStep& step) {
    for (const PredictedRow& row : step.rows) {
        if (!row.row.unavailable.empty()) continue;
        fmt::print("\n{} {} {}: {} ({} to {}, +-{:.0f} %)\n", report::printable(row.row.key.layer),
                   to_string(row.row.key.pass), report::printable(row.row.key.part),
                   format(row.prediction.time), format(row.prediction.low),
                   format(row.prediction.high), width_of(row.prediction));
        for (const PredictionTerm& term : row.prediction.terms)
            fmt::print("  {:18} alone {:>9}, adds {:>9}  {}\n", term.resource, format(term.time),
                       format(term.contribution), term.detail);
    }
}

}  // namespace

report::Table rows_table(const PredictedStep& step, std::size_t top) {
    using report::right;
    const bool measured = has_measured(step);
    std::vector<report::Column> columns({{.header = "layer", .shorten_to = 8},
                                         {.header = "pass", .shorten_to = 8},
                                         right("time", "ms"),
                                         right("low", "ms"),
                                         right("high", "ms"),
                                         right("share", "%"),
                                         {.header = "bound by"},
                                         {.header = "next"},
                                         {.header = "kernel class", .shorten_to = 12},
                                         {.header = "outside", .shorten_to = 8}});
    if (measured) columns.insert(columns.begin() + 5, {right("measured", "ms"), right("off", "%")});
    report::Table table(columns);
    std::vector<const PredictedRow*> rows;
    for (const PredictedRow& row : step.rows) rows.push_back(&row);
    if (top > 0) {
        std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
            return a->prediction.time > b->prediction.time;
        });
        rows.resize(std::min(rows.size(), top));
    }
    for (const PredictedRow* row : rows) {
        const RowKey& key = row->row.key;
        const std::string pass =
            std::string(to_string(key.pass)) + (key.part.empty() ? "" : " " + key.part);
        if (!row->row.unavailable.empty()) {
            std::vector<Cell> cells(columns.size(), Cell::missing());
            cells.front() = report::printable(key.layer), cells[1] = report::printable(pass);
            cells.back() = report::printable(row->row.unavailable);
            table.add_row(std::move(cells));
            continue;
        }
        const Prediction& p = row->prediction;
        std::string outside;
        for (const OutOfRange& out : p.out_of_range)
            outside += (outside.empty() ? "" : ", ") + out.dimension;
        const auto ms = [](Seconds t) { return Cell::number(t.value() * 1e3, 3); };
        std::vector<Cell> cells{report::printable(key.layer),
                                report::printable(pass),
                                ms(p.time),
                                ms(p.low),
                                ms(p.high),
                                Cell::number(100 * (p.time / step.time), 1),
                                p.binding,
                                second_of(p),
                                p.kernel,
                                outside};
        if (measured) {
            const auto& time = row->measured;
            cells.insert(cells.begin() + 5,
                         {time ? ms(*time) : Cell::missing(),
                          time ? Cell::number(100 * (p.time / *time - 1), 1) : Cell::missing()});
        }
        table.add_row(std::move(cells));
    }
    return table;
}

report::Table sweep_table(const std::vector<PredictedStep>& steps) {
    using report::right;
    report::Table table({{.header = "machine", .shorten_to = 8},
                         right("batch"),
                         right("threads"),
                         right("step", "ms"),
                         right("low", "ms"),
                         right("high", "ms"),
                         right("images per s"),
                         right("convolution", "%")});
    for (const PredictedStep& step : steps) {
        table.add_row({report::printable(step.machine), Cell::count(step.batch),
                       Cell::count(step.threads), Cell::number(step.time.value() * 1e3, 3),
                       Cell::number(step.low.value() * 1e3, 3),
                       Cell::number(step.high.value() * 1e3, 3),
                       Cell::number(static_cast<double>(step.batch) / step.time.value(), 1),
                       Cell::number(100 * step.convolution_share, 1)});
    }
    return table;
}

Json json_of(const PredictedStep& step) {
    Json rows = Json::array();
    for (const PredictedRow& row : step.rows) {
        Json json{{"layer", row.row.key.layer},
                  {"pass", to_string(row.row.key.pass)},
                  {"part", row.row.key.part},
                  {"problem", row.row.problem}};
        if (row.measured) json["measured_s"] = row.measured->value();
        if (row.row.unavailable.empty())
            json["prediction"] = json_of(row.prediction);
        else
            json["unavailable"] = row.row.unavailable;
        rows.push_back(std::move(json));
    }
    return {{"network", step.network},
            {"batch", step.batch},
            {"threads", step.threads},
            {"machine", step.machine},
            {"calibration", step.calibration},
            {"state", to_string(step.state)},
            {"demand", to_string(step.demand)},
            {"time_s", step.time.value()},
            {"low_s", step.low.value()},
            {"high_s", step.high.value()},
            {"convolution_share", step.convolution_share},
            {"notes", step.notes},
            {"rows", rows}};
}

void print_step(const PredictedStep& step, std::size_t top, bool with_terms) {
    const auto screen = report::terminal(1);
    fmt::print("{}", rows_table(step, top).text({screen.width, screen.colour}));
    fmt::print("\n{}, batch {}, {} threads on {}: {} ({} to {}, 80 %), {:.1f} % convolution\n",
               report::printable(step.network), step.batch, step.threads,
               report::printable(step.machine), format(step.time), format(step.low),
               format(step.high), 100 * step.convolution_share);
    if (has_measured(step)) print_measured(step);
    fmt::print("Demand is {}, caches {}, constants of calibration {}.\n", to_string(step.demand),
               to_string(step.state), report::printable(step.calibration));
    for (const std::string& note : step.notes) fmt::print("! {}\n", report::printable(note));
    if (with_terms) print_terms(step);
}

}  // namespace ridge::app
