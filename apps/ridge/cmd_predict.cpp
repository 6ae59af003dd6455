// ridge predict: how long each layer and pass takes where nobody measured it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/predict_gpu.hpp"
#include "apps/ridge/predict_job.hpp"
#include "apps/ridge/traced_demand.hpp"
#include "core/json.hpp"
#include "model/predict/cpu/analytic_demand.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "ridge/format.hpp"
#include "ridge/machine.hpp"

namespace ridge::app {
namespace {

using report::Cell;

struct Options {
    std::string what, batch, threads = "all", state = "warm", calibration, demand = "analytic";
    std::string dtype;
    std::vector<std::string> machines{"local"}, changes;
    std::size_t top = 0;
    bool terms = false, json = false, csv = false;
};

std::int64_t number(const std::string& text, const char* option) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value < 1 || value > 1'000'000)
        throw bad_input(option, "a number, a list such as 1,2,4 or a range such as 1..256",
                        "'" + text + "'");
    return value;
}

/// "8", "1,2,4", "1..4" (every number) or "1..256" (doubling where there are more than 16).
std::vector<std::int64_t> numbers(const std::string& text, const char* option) {
    std::vector<std::int64_t> values;
    if (const auto dots = text.find(".."); dots != std::string::npos) {
        const std::int64_t first = number(text.substr(0, dots), option);
        const std::int64_t last = number(text.substr(dots + 2), option);
        if (last < first) throw bad_input(option, "a range that rises", "'" + text + "'");
        const bool doubling = last - first >= 16;
        for (std::int64_t n = first; n < last; n = doubling ? 2 * n : n + 1) values.push_back(n);
        values.push_back(last);
        return values;
    }
    std::size_t start = 0;
    do {
        const auto comma = std::min(text.find(',', start), text.size());
        values.push_back(number(text.substr(start, comma - start), option));
        start = comma + 1;
    } while (start <= text.size());
    return values;
}

std::vector<std::int64_t> thread_counts(const std::string& text, const Machine& machine) {
    if (text == "all") return {std::max(1, machine.cores)};
    std::string range = text;
    if (range.ends_with("..N"))
        range = range.substr(0, range.size() - 1) + std::to_string(std::max(1, machine.cores));
    auto counts = numbers(range, "--threads");
    for (const std::int64_t n : counts)
        if (n > std::max(1, machine.cores))
            throw bad_input("--threads",
                            fmt::format("at most the {} cores of {}", machine.cores, machine.name),
                            std::to_string(n));
    return counts;
}

double width_of(const Prediction& p) {
    return 100 * (p.high.value() - p.low.value()) / 2 / p.time.value();
}

report::Table rows_table(const PredictedStep& step, std::size_t top) {
    using report::right;
    report::Table table({{.header = "layer", .shorten_to = 8},
                         {.header = "pass", .shorten_to = 8},
                         right("time", "ms"),
                         right("low", "ms"),
                         right("high", "ms"),
                         right("share", "%"),
                         {.header = "bound by"},
                         {.header = "next"},
                         {.header = "kernel class", .shorten_to = 12},
                         {.header = "outside", .shorten_to = 8}});
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
            table.add_row({report::printable(key.layer), report::printable(pass), Cell::missing(),
                           Cell::missing(), Cell::missing(), Cell::missing(), Cell::missing(),
                           Cell::missing(), Cell::missing(),
                           report::printable(row->row.unavailable)});
            continue;
        }
        const Prediction& p = row->prediction;
        std::string outside;
        for (const OutOfRange& out : p.out_of_range)
            outside += (outside.empty() ? "" : ", ") + out.dimension;
        const auto ms = [](Seconds t) { return Cell::number(t.value() * 1e3, 3); };
        table.add_row(
            {report::printable(key.layer), report::printable(pass), ms(p.time), ms(p.low),
             ms(p.high), Cell::number(100 * (p.time / step.time), 1), p.binding,
             p.terms.size() > 1 && p.terms[1].contribution.value() > 0 ? p.terms[1].resource : "",
             p.kernel, outside});
    }
    return table;
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

Json json_of(const PredictedStep& step) {
    Json rows = Json::array();
    for (const PredictedRow& row : step.rows) {
        Json json{{"layer", row.row.key.layer},
                  {"pass", to_string(row.row.key.pass)},
                  {"part", row.row.key.part},
                  {"problem", row.row.problem}};
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

void print_step(const PredictedStep& step, const Options& options) {
    const auto screen = report::terminal(1);
    fmt::print("{}", rows_table(step, options.top).text({screen.width, screen.colour}));
    fmt::print("\n{}, batch {}, {} threads on {}: {} ({} to {}, 80 %), {:.1f} % convolution\n",
               report::printable(step.network), step.batch, step.threads,
               report::printable(step.machine), format(step.time), format(step.low),
               format(step.high), 100 * step.convolution_share);
    fmt::print("Demand is {}, caches {}, constants of calibration {}.\n", to_string(step.demand),
               to_string(step.state), report::printable(step.calibration));
    for (const std::string& note : step.notes) fmt::print("! {}\n", report::printable(note));
    if (options.terms) print_terms(step);
}

std::unique_ptr<DemandSource> source_of(const std::string& word, const Machine& machine) {
    if (word == "analytic") return std::make_unique<cpu::AnalyticSource>(machine);
    if (word == "traced") return std::make_unique<TracedDemand>(machine);
    throw bad_input("--demand", "analytic or traced", "'" + word + "'");
}

DataType dtype_of(const std::string& word) {
    const auto type = data_type_from_string(word);
    if (type && (*type == DataType::f32 || *type == DataType::tf32 || *type == DataType::f16 ||
                 *type == DataType::bf16))
        return *type;
    throw bad_input("--dtype", "f32, tf32, f16 or bf16", "'" + word + "'");
}

std::vector<PredictedStep> all_steps(const Options& options) {
    const auto state = cache_state_from_string(options.state);
    if (!state) throw bad_input("--state", "cold, warm or in_step", "'" + options.state + "'");
    const cpu::Calibration calibration = calibration_or_default(options.calibration);
    const bool line = options.what.find(':') != std::string::npos;
    const std::vector<std::int64_t> batches = options.batch.empty()
                                                  ? std::vector<std::int64_t>{line ? 0 : 1}
                                                  : numbers(options.batch, "--batch");
    std::vector<PredictedStep> steps;
    for (const std::string& name : options.machines) {
        Machine machine = load_machine(name);
        for (const std::string& change : options.changes) apply_what_if(machine, change);
        if (machine.gpu) {
            for (const std::int64_t batch : batches) {
                const Network network = network_or_layer(options.what, batch);
                steps.push_back(predict_gpu_step(
                    options.dtype.empty() ? network : with_dtype(network, dtype_of(options.dtype)),
                    machine));
            }
            continue;
        }
        if (!options.dtype.empty())
            throw bad_input("--dtype", "a machine that is a GPU", machine.name);
        for (const std::int64_t threads : thread_counts(options.threads, machine)) {
            for (const std::int64_t batch : batches) {
                const Network network = network_or_layer(options.what, batch);
                const auto source = source_of(options.demand, machine);
                steps.push_back(predict_step({.network = &network,
                                              .machine = &machine,
                                              .calibration = calibration,
                                              .threads = static_cast<int>(threads),
                                              .state = *state},
                                             *source));
            }
        }
    }
    return steps;
}

ExitCode predict(const Options& options) {
    const auto steps = all_steps(options);
    if (options.json) {
        Json json = Json::array();
        for (const PredictedStep& step : steps) json.push_back(json_of(step));
        fmt::print("{}\n", (steps.size() == 1 ? json.front() : json).dump(2));
    } else if (options.csv) {
        fmt::print("{}", steps.size() == 1 ? rows_table(steps.front(), options.top).csv()
                                           : sweep_table(steps).csv());
    } else if (steps.size() == 1) {
        print_step(steps.front(), options);
    } else {
        const auto screen = report::terminal(1);
        fmt::print("{}", sweep_table(steps).text({screen.width, screen.colour}));
        std::set<std::string> notes;
        for (const PredictedStep& step : steps) notes.insert(step.notes.begin(), step.notes.end());
        for (const std::string& note : notes) fmt::print("! {}\n", report::printable(note));
    }
    return ExitCode::done;
}

}  // namespace

void add_predict(Verb& app, Action& action) {
    const auto options = std::make_shared<Options>();
    auto* verb = app.add_subcommand("predict", "time of every layer and pass, without running it");
    verb->footer(
        "Examples:\n  ridge predict resnet50 --batch 8 --threads 1\n"
        "  ridge predict vgg16 --batch 1..256 --machine local --set dram.bandwidth=2x\n"
        "  ridge predict conv:mb16ic64ih56oc64oh56kh3ph1 --terms\n"
        "  ridge predict resnet50 --batch 1..256 --machine v100_sxm2 --machine h100_sxm");
    verb->add_option("WHAT", options->what, "network, network file, or layer line")->required();
    verb->add_option("--batch", options->batch,
                     "8, 1,2,4 or 1..256 (default: 1, or the line's mb)");
    verb->add_option("--threads", options->threads, "all, 2, 1,2 or 1..N")->capture_default_str();
    verb->add_option("--machine", options->machines, "machine files, by name or path")
        ->capture_default_str();
    verb->add_option("--set", options->changes, "what-if on the machine, dram.bandwidth=2x");
    verb->add_option("--calibration", options->calibration,
                     "constants, by name or path (default: this machine's, else generic)");
    verb->add_option("--state", options->state, "caches before a pass: cold, warm or in_step")
        ->capture_default_str();
    verb->add_option("--demand", options->demand,
                     "analytic, from the dimensions, or traced, from the kernels of this machine")
        ->capture_default_str();
    verb->add_option("--dtype", options->dtype,
                     "on a GPU: f32 (default), tf32, f16 or bf16 for every layer");
    verb->add_option("--top", options->top, "only the N longest rows")
        ->check(whole_number(1, 1'000'000));
    verb->add_flag("--terms", options->terms, "every term of every row");
    auto* json = verb->add_flag("--json", options->json, "print JSON");
    verb->add_flag("--csv", options->csv, "print CSV")->excludes(json);
    verb->callback([options, &action] { action = [options] { return predict(*options); }; });
}

}  // namespace ridge::app
