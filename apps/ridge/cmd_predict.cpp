// ridge predict: how long each layer and pass takes where nobody measured it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/predict_gpu.hpp"
#include "apps/ridge/predict_job.hpp"
#include "apps/ridge/predict_text.hpp"
#include "apps/ridge/run_network.hpp"
#include "apps/ridge/stored_run.hpp"
#include "apps/ridge/traced_demand.hpp"
#include "model/predict/cpu/analytic_demand.hpp"
#include "report/terminal.hpp"
#include "ridge/machine.hpp"

namespace ridge::app {
namespace {

struct Options {
    std::string what, batch, threads, state, calibration, demand = "analytic";
    std::string dtype;
    std::vector<std::string> machines{"local"}, changes, dims;
    std::optional<std::int64_t> run;
    std::string store;
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

/// What is predicted: a network at each batch asked for, and what a run measured of it.
struct Subject {
    std::vector<Network> networks;
    std::map<RowKey, Seconds> measured;
    std::vector<std::string> notes;
    int threads = 0;  ///< of the run; 0: all cores
    CacheState state = CacheState::warm;
};

Subject subject_of_run(const Options& options) {
    if (!options.what.empty()) throw bad_input("predict", "either WHAT or --run", "both");
    if (!options.dims.empty()) throw bad_input("--dim", "an ONNX model (model.onnx)", "--run");
    const Run run = open_store(options.store).load_run(*options.run);
    RunNetwork layers = network_of(run);
    Subject subject;
    subject.notes = std::move(layers.notes);
    subject.threads = std::max(1, run.info.threads);
    subject.state = run.info.state;
    if (options.batch.empty()) {
        for (const Measurement& row : run.rows)
            if (row.time.time.value() > 0) subject.measured[row.key] = row.time.time;
        subject.networks.push_back(std::move(layers.network));
        return subject;
    }
    for (const std::int64_t batch : numbers(options.batch, "--batch"))
        subject.networks.push_back(with_batch(layers.network, batch));
    return subject;
}

Subject subject_of(const Options& options) {
    if (options.run) return subject_of_run(options);
    if (options.what.empty())
        throw bad_input("predict", "WHAT, a network, a file or a layer line, or --run", "neither");
    const bool line = is_layer_line(options.what);
    Subject subject;
    const std::vector<std::int64_t> batches = options.batch.empty()
                                                  ? std::vector<std::int64_t>{line ? 0 : 1}
                                                  : numbers(options.batch, "--batch");
    for (const std::int64_t batch : batches)
        subject.networks.push_back(
            network_or_layer({options.what, batch, options.dims, !subject.networks.empty()}));
    return subject;
}

void add_measured(PredictedStep& step, const Subject& subject) {
    for (PredictedRow& row : step.rows)
        if (const auto found = subject.measured.find(row.row.key); found != subject.measured.end())
            row.measured = found->second;
    step.notes.insert(step.notes.end(), subject.notes.begin(), subject.notes.end());
}

CacheState state_of(const Options& options, const Subject& subject) {
    if (options.state.empty()) return subject.state;
    const auto state = cache_state_from_string(options.state);
    if (!state) throw bad_input("--state", "cold, warm or in_step", "'" + options.state + "'");
    return *state;
}

/// A run may have had more threads than the machine has cores: hyperthreads share them.
std::vector<std::int64_t> threads_on(const Machine& machine, const Options& options,
                                     const Subject& subject) {
    if (options.threads.empty() && subject.threads > 0)
        return {std::min(subject.threads, std::max(1, machine.cores))};
    return thread_counts(options.threads.empty() ? "all" : options.threads, machine);
}

std::vector<PredictedStep> all_steps(const Options& options) {
    const cpu::Calibration calibration = calibration_or_default(options.calibration);
    const Subject subject = subject_of(options);
    const CacheState state = state_of(options, subject);
    std::vector<PredictedStep> steps;
    for (const std::string& name : options.machines) {
        Machine machine = load_machine(name);
        for (const std::string& change : options.changes) apply_what_if(machine, change);
        if (machine.gpu) {
            for (const Network& network : subject.networks)
                steps.push_back(predict_gpu_step(
                    options.dtype.empty() ? network : with_dtype(network, dtype_of(options.dtype)),
                    machine));
            continue;
        }
        if (!options.dtype.empty())
            throw bad_input("--dtype", "a machine that is a GPU", machine.name);
        for (const std::int64_t count : threads_on(machine, options, subject))
            for (const Network& network : subject.networks) {
                const auto source = source_of(options.demand, machine);
                steps.push_back(predict_step({.network = &network,
                                              .machine = &machine,
                                              .calibration = calibration,
                                              .threads = static_cast<int>(count),
                                              .state = state},
                                             *source));
            }
    }
    for (PredictedStep& step : steps) add_measured(step, subject);
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
        print_step(steps.front(), options.top, options.terms);
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
        "  ridge predict model.onnx --batch 32 --dim seq=128\n"
        "  ridge predict --run 3 --machine xeon-platinum-8180\n"
        "  ridge predict resnet50 --batch 1..256 --machine v100_sxm2 --machine h100_sxm");
    verb->add_option("WHAT", options->what,
                     "network, file (YAML, ONNX, benchdnn list), or layer line");
    verb->add_option("--run", options->run,
                     "the layers of a stored run instead, beside what it measured");
    verb->add_option("--store", options->store, "run store (default: that of this user)");
    add_dim_option(*verb, options->dims);
    verb->add_option("--batch", options->batch,
                     "8, 1,2,4 or 1..256 (default: 1, or the line's mb)");
    verb->add_option("--threads", options->threads,
                     "all, 2, 1,2 or 1..N (default: all, or the run's)");
    verb->add_option("--machine", options->machines, "machine files, by name or path")
        ->capture_default_str();
    verb->add_option("--set", options->changes, "what-if on the machine, dram.bandwidth=2x");
    verb->add_option("--calibration", options->calibration,
                     "constants, by name or path (default: this machine's, else generic)");
    verb->add_option("--state", options->state,
                     "caches before a pass: cold, warm or in_step (default: warm, or the run's)");
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
