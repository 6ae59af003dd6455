// ridge explain: a stored run under the roofs of a machine, in a terminal, as JSON or as CSV.

#include <fmt/format.h>

#include <map>
#include <memory>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/stored_run.hpp"
#include "model/explain/json.hpp"
#include "model/explain/selection.hpp"
#include "report/row_text.hpp"
#include "report/rows_table.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"
#include "ridge/format.hpp"
#include "ridge/roofline.hpp"

namespace ridge::app {
namespace {

struct ExplainOptions {
    StoredRunOptions run;
    bool json = false, csv = false;
    std::string sort = "layer";
    std::size_t top = 0;
    std::string colour = "auto";
};

using report::Cell;
using report::Colour;

RowOrder order_of(const std::string& word) {
    if (word == "time") return RowOrder::time;
    if (word == "saving") return RowOrder::saving;
    return RowOrder::layer;
}

/// A verdict that its own row refuted was withheld: the views show it, the exit code tells it.
ExitCode outcome_of(const RunAnalysis& analysis) {
    for (const auto& row : analysis.rows)
        for (const auto& flag : row.flags)
            if (flag.starts_with("contradiction:")) return ExitCode::job_failed;
    return ExitCode::done;
}

Colour colour_of(Bound bound) {
    switch (bound) {
        case Bound::compute:
            return Colour::green;
        case Bound::memory:
            return Colour::blue;
        case Bound::overhead:
        case Bound::balanced:
        case Bound::transitions:
            return Colour::yellow;
        case Bound::undetermined:
            return Colour::red;
    }
    return Colour::none;
}

/// What fits a screen; --csv and --json have every column.
report::Table screen_table(const RunAnalysis& analysis, const std::vector<std::size_t>& rows) {
    using report::right;
    report::Table table({{.header = "layer", .shorten_to = 8},
                         {.header = "pass", .shorten_to = 5},
                         right("time", "ms"),
                         right("share", "%"),
                         right("rate", "GFLOP/s"),
                         right("traffic", "GB/s"),
                         {.header = "bytes from", .shorten_to = 4},
                         right("of roof", "%"),
                         {.header = "bound by", .shorten_to = 8},
                         {.header = "next", .shorten_to = 4},
                         right("saved", "ms"),
                         {.header = "notes", .shorten_to = 6}});
    for (const std::size_t index : rows) {
        const auto& row = analysis.rows[index];
        std::string pass(to_string(row.row.key.pass));
        if (!row.row.key.part.empty()) pass += " " + row.row.key.part;
        std::string notes;
        for (const auto& flag : row.flags)
            notes += (notes.empty() ? "" : ", ") + flag.substr(0, flag.find(':'));
        table.add_row(
            {report::printable(row.row.key.layer), report::printable(pass),
             Cell::number(row.row.time.time.value() * 1e3, 3),
             Cell::number(row.share_of_step * 100, 1),
             row.rate ? Cell::number(row.rate->value() / 1e9, 1) : Cell::missing(),
             row.level.empty() ? Cell::missing() : Cell::number(row.traffic_rate.value() / 1e9, 1),
             row.level.empty() ? Cell::missing() : Cell(std::string(to_string(row.bytes_source))),
             Cell::number(row.attained * 100, 0),
             Cell(report::bound_text(row), colour_of(row.bound)), row.runner_up,
             Cell::number(row.saved_at_roof.value() * 1e3, 3), Cell(notes, Colour::yellow)});
    }
    return table;
}

void print_roofs(const Roofline& roofline) {
    std::vector<std::string> roofs;
    for (const auto& roof : roofline.compute)
        roofs.push_back(fmt::format("{} {}", roof.name, format(roof.rate)));
    for (const auto& roof : roofline.bandwidth)
        roofs.push_back(fmt::format("{} {}", roof.level, format(roof.rate)));
    fmt::print("Roofs: {}\n", fmt::join(roofs, ", "));
}

void print_verdicts(const RunAnalysis& analysis, const std::vector<std::size_t>& rows,
                    bool colour) {
    for (const std::size_t index : rows) {
        const auto& row = analysis.rows[index];
        fmt::print(
            "{}\n  {}\n",
            report::coloured(report::printable(report::row_title(row.row)), Colour::bold, colour),
            report::printable(row.verdict));
        for (const auto& flag : row.flags) fmt::print("  ! {}\n", report::printable(flag));
    }
}

void print_text(const RunAnalysis& analysis, const std::vector<std::size_t>& rows,
                const ExplainOptions& options) {
    auto screen = report::terminal(1);
    if (options.colour != "auto") screen.colour = options.colour == "always";
    const auto summary = report::summarise(analysis);
    fmt::print("Run {}: {}\n", analysis.info.id,
               report::printable(report::run_title(analysis.info)));
    fmt::print("Step: {}\n", report::step_text(analysis));
    for (const auto& line : report::findings(analysis, summary)) fmt::print("{}\n", line);
    for (const auto& line : report::caveats(analysis, summary))
        fmt::print("{}\n", report::coloured(line, Colour::yellow, screen.colour));
    fmt::print("\n{}",
               screen_table(analysis, rows).text({.width = screen.width, .colour = screen.colour}));
    fmt::print("\n");
    print_roofs(analysis.roofline);
    fmt::print("{}\n\n", report::bytes_text(analysis));
    print_verdicts(analysis, rows, screen.colour);
    if (analysis.info.counters == "none" || analysis.coverage.gaps.empty()) return;
    fmt::print("\nNot traced:\n{}", report::coverage_table(analysis.coverage)
                                        .text({.width = screen.width, .colour = screen.colour}));
}

ExitCode explain(const ExplainOptions& options) {
    const StoredRun stored = load_stored_run(options.run);
    const RunAnalysis& analysis = stored.analysis;
    const auto rows = select_rows(analysis, stored.layer, order_of(options.sort), options.top);
    if (options.json) {
        Json json = to_json(analysis, rows);
        const auto summary = report::summarise(analysis);
        json["findings"] = report::findings(analysis, summary);
        json["caveats"] = report::caveats(analysis, summary);
        fmt::print("{}\n", json.dump(2));
    } else if (options.csv) {
        RunAnalysis chosen = analysis;
        chosen.rows.clear();
        for (const std::size_t index : rows) chosen.rows.push_back(analysis.rows[index]);
        fmt::print("{}", report::rows_table(chosen).csv());
    } else {
        print_text(analysis, rows, options);
    }
    return outcome_of(analysis);
}

}  // namespace

void add_explain(Verb& app, Action& action) {
    const auto options = std::make_shared<ExplainOptions>();
    auto* verb = app.add_subcommand(
        "explain", "what bounds every layer and pass of a stored run, with the numbers");
    verb->footer(
        "Example:\n  ridge explain alexnet --sort saving --top 10\n"
        "  ridge explain conv2 --set dram.bandwidth=2x");
    verb->add_option("RUN", options->run.target,
                     "Number, network, layer line or layer of a stored run (default: the newest)");
    add_stored_run_options(*verb, options->run);
    verb->add_option("--sort", options->sort, "layer, time or saving")
        ->one_of({"layer", "time", "saving"});
    verb->add_option("--top", options->top, "only the first N rows")
        ->check(whole_number(1, 1'000'000));
    auto* json = verb->add_flag("--json", options->json, "print JSON");
    verb->add_flag("--csv", options->csv, "print every column as CSV")->excludes(json);
    verb->add_option("--color,--colour", options->colour, "auto, always or never")
        ->one_of({"auto", "always", "never"});
    verb->callback([options, &action] { action = [options] { return explain(*options); }; });
}

}  // namespace ridge::app
