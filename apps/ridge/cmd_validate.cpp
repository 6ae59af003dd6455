// ridge validate: predictions of rows that the model never saw, against their measured times.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <set>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/dataset_jobs.hpp"
#include "apps/ridge/record_reference.hpp"
#include "apps/ridge/validate_text.hpp"
#include "core/files.hpp"
#include "report/writers/gnuplot.hpp"
#include "ridge/machine.hpp"
#include "ridge/network.hpp"

namespace ridge::app {
namespace {

struct Options {
    std::string reference, machine, split = "network,closed,batch,threads,state";
    std::string closed =
        "mobilenet,densenet_blocks";  // nobody looked at them while the model was made
    std::string demand = "traced", overlap = "core", docs, scatter;
    std::string record, store, output;
    std::size_t worst = 10;
    double fail_above = 0;
    bool no_baselines = false, json = false;
    DataSetTask data_set;
};

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::size_t start = 0;
    while (start < text.size()) {
        const auto comma = std::min(text.find(',', start), text.size());
        if (comma > start) words.push_back(text.substr(start, comma - start));
        start = comma + 1;
    }
    return words;
}

cpu::Overlap overlap_of(const std::string& word) {
    if (word == "core") return cpu::Overlap::hard_core;
    if (word == "max") return cpu::Overlap::all_maximum;
    if (word == "sum") return cpu::Overlap::all_sum;
    throw bad_input("--overlap", "core, max or sum", "'" + word + "'");
}

Validation validation_of(const Options& options) {
    const std::string folder = share_directory() + "/measurements";
    Validation v;
    v.reference = options.reference.empty() ? "data/measurements" : options.reference;
    v.rows = validate::load_reference(options.reference.empty() ? folder : options.reference).rows;
    v.demand = options.demand;
    const Machine machine =
        load_machine(options.machine.empty() ? folder + "/machine.yaml" : options.machine);
    v.machine = machine.name;
    std::vector<std::string> closed = words_of(options.closed);
    for (const auto& word : words_of(options.split)) {
        const auto split = validate::split_from_string(word);
        if (!split)
            throw bad_input("--split", "network, closed, batch, threads, state or kernel",
                            "'" + word + "'");
        v.splits.push_back(validate::evaluate(v.rows, machine, *split, closed,
                                              {.analytic = options.demand == "analytic",
                                               .baselines = !options.no_baselines,
                                               .overlap = overlap_of(options.overlap)}));
    }
    return v;
}

/// The worst MAPE of convolutions over the splits that have rows.
double largest_error(const Validation& v) {
    double worst = 0;
    for (const auto& split : v.splits) {
        const auto metrics = validate::metrics_of(
            validate::outcomes(split, v.rows, validate::Group::convolution, "", ""));
        worst = std::max(worst, metrics.mape);
    }
    return worst;
}

report::ImageFormat format_of(const std::string& path) {
    if (path.ends_with(".svg")) return report::ImageFormat::svg;
    if (path.ends_with(".png")) return report::ImageFormat::png;
    if (path.ends_with(".pdf")) return report::ImageFormat::pdf;
    throw bad_input("--scatter", "a file name that ends in .svg, .png or .pdf", "'" + path + "'");
}

ExitCode validate_verb(const Options& options) {
    if (!options.data_set.set.empty()) {
        DataSetTask task = options.data_set;
        task.docs = options.docs;
        task.baselines = !options.no_baselines;
        task.json = options.json;
        return validate_data_set(task);
    }
    if (!options.record.empty()) {
        record_reference({.runs = options.record,
                          .store = options.store,
                          .machine = options.machine.empty() ? "local" : options.machine,
                          .output = options.output});
        return ExitCode::done;
    }
    if (options.demand != "traced" && options.demand != "analytic")
        throw bad_input("--demand", "traced or analytic", "'" + options.demand + "'");
    if (!options.scatter.empty()) (void)format_of(options.scatter);
    const Validation v = validation_of(options);
    const std::string text = validation_text(v, options.worst);
    if (options.json)
        fmt::print("{}\n", validation_json(v).dump(2));
    else
        fmt::print("{}", text);
    if (!options.docs.empty())
        write_file(options.docs,
                   with_section(read_file(options.docs), "\n## Predictions\n\n" + text + "\n"));
    if (!options.scatter.empty())
        write_file(options.scatter, report::render(scatter_plot(v), format_of(options.scatter)));
    if (options.fail_above > 0 && largest_error(v) > options.fail_above) {
        fmt::print(stderr, "ridge: convolutions miss by {:.1f} % on average, more than {:.1f} %\n",
                   100 * largest_error(v), 100 * options.fail_above);
        return ExitCode::job_failed;
    }
    return ExitCode::done;
}

}  // namespace

void add_validate(Verb& app, Action& action) {
    const auto options = std::make_shared<Options>();
    auto* verb = app.add_subcommand("validate", "predictions against measured times");
    verb->footer(
        "Examples:\n  ridge validate --split network --demand analytic\n"
        "  ridge validate --fail-above 0.05 --write-docs docs/accuracy.md --scatter scatter.svg\n"
        "  ridge validate --record 12,13 --output alexnet.csv");
    verb->add_option("--reference", options->reference,
                     "measurements, a CSV file or folder (default: those that ship)");
    verb->add_option("--machine", options->machine,
                     "machine file of the measurements (default: beside them; --record: local)");
    verb->add_option("--split", options->split,
                     "of network, closed, batch, threads, state, kernel, separated by commas")
        ->capture_default_str();
    verb->add_option("--closed", options->closed,
                     "networks that no fit sees, judged in the split closed")
        ->capture_default_str();
    verb->add_option("--demand", options->demand, "traced or analytic")->capture_default_str();
    verb->add_option("--overlap", options->overlap,
                     "rule that combines the terms: core (the model's), max or sum")
        ->capture_default_str();
    verb->add_option("--worst", options->worst, "worst cases to list")->capture_default_str();
    verb->add_option("--fail-above", options->fail_above,
                     "exit code 1 when convolutions miss by more, a share such as 0.05");
    verb->add_option("--write-docs", options->docs, "Markdown file whose section is replaced");
    verb->add_option("--scatter", options->scatter, "figure of the first split, svg, png or pdf");
    verb->add_flag("--no-baselines", options->no_baselines, "only the model");
    verb->add_flag("--json", options->json, "print every held-out row as JSON");
    verb->add_option("--dataset", options->data_set.set,
                     "instead: the GPU model on a public data set (deepbench, neusight, "
                     "aiconfigurator, convnet-benchmarks, justus2018, triosim) or all");
    verb->add_option("--data", options->data_set.data,
                     "folder of the data sets (default: RIDGE_DATA_DIR)");
    verb->add_option("--rows", options->data_set.rows,
                     "only the rows of a data set whose table holds this text");
    verb->add_option(
        "--without", options->data_set.without,
        "elements of the GPU model to leave out: waves, latency, tiles, padding, "
        "power, winograd, direct, alignment, reread, batched, narrow, drift, residency");
    verb->add_option("--record", options->record,
                     "instead: make reference measurements of stored runs, 12,13");
    verb->add_option("--store", options->store, "run store of --record");
    verb->add_option("--output", options->output, "CSV file of --record");
    verb->callback([options, &action] { action = [options] { return validate_verb(*options); }; });
}

}  // namespace ridge::app
