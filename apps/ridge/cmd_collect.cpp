// ridge collect: measures the rows of a training step and keeps them in the run store.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "apps/ridge/collect_job.hpp"
#include "apps/ridge/commands.hpp"
#include "apps/ridge/counter_choice.hpp"
#include "apps/ridge/network_argument.hpp"
#include "apps/ridge/repeat_check.hpp"
#include "apps/ridge/runs_text.hpp"
#include "core/json.hpp"
#include "report/run_comparison.hpp"
#include "report/terminal.hpp"
#include "ridge/run_store.hpp"

namespace ridge::app {
namespace {

struct Options {
    CollectOptions collect;
    std::string threads = "all", passes = "all", dtype = "f32", state, library = "onednn";
    bool repeat_check = false, json = false;
};

int thread_count(const std::string& text) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value < 1)
        throw bad_input("--threads", "all, a number, or a range such as 1..4", "'" + text + "'");
    return value;
}

/// "all", "2", or "1..4".
std::vector<int> thread_counts(const std::string& text) {
    if (text == "all") return {0};
    const auto dots = text.find("..");
    if (dots == std::string::npos) return {thread_count(text)};
    const int first = thread_count(text.substr(0, dots));
    const std::string end = text.substr(dots + 2);
    const int last = end == "N" || end == "all" ? usable_thread_count() : thread_count(end);
    if (last < first || last - first > 1024)
        throw bad_input("--threads", "a range that rises, such as 1..4", "'" + text + "'");
    std::vector<int> counts;
    for (int n = first; n <= last; ++n) counts.push_back(n);
    return counts;
}

std::vector<Pass> passes_of(const std::string& text) {
    std::vector<Pass> passes;
    if (text == "all") return passes;
    std::size_t start = 0;
    do {
        const auto comma = std::min(text.find(',', start), text.size());
        const std::string word = text.substr(start, comma - start);
        const auto pass = pass_from_string(word);
        if (!pass)
            throw bad_input("--passes",
                            "all, or forward, backward_data, backward_weights, backward or update "
                            "separated by commas",
                            "'" + word + "'");
        passes.push_back(*pass);
        start = comma + 1;
    } while (start <= text.size());
    return passes;
}

std::vector<std::string> libraries_of(const std::string& word) {
    if (word == "both") return {"onednn", "openblas"};
    if (word == "onednn" || word == "openblas") return {word};
    throw bad_input("--library", "onednn, openblas or both", "'" + word + "'");
}

CollectOptions base_options(const Options& options) {
    CollectOptions collect = options.collect;
    collect.passes = passes_of(options.passes);
    const auto dtype = data_type_from_string(options.dtype);
    if (!dtype || (*dtype != DataType::f32 && *dtype != DataType::bf16))
        throw bad_input("--dtype", "f32 or bf16", "'" + options.dtype + "'");
    collect.dtype = *dtype;
    if (!options.state.empty()) {
        collect.state = cache_state_from_string(options.state);
        if (!collect.state)
            throw bad_input("--state", "cold, warm or in_step", "'" + options.state + "'");
    }
    if (options.json) collect.quiet = true;
    return collect;
}

void print(const report::Table& table) {
    const auto screen = report::terminal(1);
    fmt::print("{}\n", table.text({.width = screen.width, .colour = screen.colour}));
}

ExitCode check_repetition(const Options& options, CollectOptions collect_options,
                          const std::string& path) {
    const std::int64_t first = collect(collect_options);
    collect_options.resume = false;
    const std::int64_t second = collect(collect_options);
    const RunStore store(path, StoreAccess::read);
    const RepeatCheck check = compare_runs(store.load_run(first), store.load_run(second));
    if (options.json) {
        fmt::print("{}\n", to_json(check).dump(2));
        return ExitCode::done;
    }
    fmt::print("{}", repeat_summary(check));
    print(repeat_table(check));
    return ExitCode::done;
}

void print_comparisons(const std::vector<Run>& runs) {
    std::vector<const Run*> scaling;
    for (const Run& run : runs)
        if (run.info.library == runs.front().info.library) scaling.push_back(&run);
    if (scaling.size() > 1) {
        fmt::print("\nThreads\n");
        print(report::scaling_table(scaling));
    }
    for (const Run& base : runs)
        for (const Run& other : runs)
            if (base.info.library == "onednn" && other.info.library == "openblas" &&
                base.info.threads == other.info.threads) {
                fmt::print("\noneDNN beside im2col + OpenBLAS, {} thread(s)\n", base.info.threads);
                print(report::library_table(base, other));
            }
}

ExitCode run(const Options& options) {
    const CollectOptions base = base_options(options);
    const std::vector<int> counts = thread_counts(options.threads);
    const std::vector<std::string> libraries = libraries_of(options.library);
    if (options.repeat_check && (counts.size() > 1 || libraries.size() > 1))
        throw bad_input("--repeat-check", "one thread count and one library", "several");

    std::vector<CollectOptions> jobs;
    std::vector<std::string> remarks;
    CounterChooser chooser(base.counters);
    for (const std::string& library : libraries) {
        const CounterChoice choice = chooser.choose(library);
        remarks.push_back(choice.remark);
        for (const int threads : counts) {
            jobs.push_back(base);
            jobs.back().library = library;
            jobs.back().threads = threads;
            jobs.back().chosen_counters = choice;
        }
    }
    const std::string path = base.store.empty() ? RunStore::default_path() : base.store;
    if (options.repeat_check) return check_repetition(options, jobs.front(), path);

    std::vector<std::int64_t> ids;
    for (const CollectOptions& job : jobs) ids.push_back(collect(job));
    for (const std::string& remark : remarks)
        if (!remark.empty()) fmt::print(stderr, "ridge: {}\n", remark);
    const RunStore store(path, StoreAccess::read);
    std::vector<Run> runs;
    for (const std::int64_t id : ids) runs.push_back(store.load_run(id));
    if (options.json) {
        if (ids.size() == 1) {
            fmt::print("{}\n", store.export_run(ids.front()));
            return ExitCode::done;
        }
        Json all = Json::array();
        for (const std::int64_t id : ids) all.push_back(Json::parse(store.export_run(id)));
        fmt::print("{}\n", all.dump(2));
        return ExitCode::done;
    }
    for (const Run& one : runs) fmt::print("{}\n", run_text(one, false, report::terminal(1)));
    print_comparisons(runs);
    fmt::print("Stored as run {} in {}. What bounds each row: ridge explain {}\n", ids.back(), path,
               ids.back());
    return ExitCode::done;
}

}  // namespace

void add_collect(Verb& app, Action& action) {
    auto options = std::make_shared<Options>();
    auto* verb = app.add_subcommand(
        "collect", "Measure every layer and pass of a training step and store the result");
    verb->footer(
        "Examples:\n"
        "  ridge collect alexnet --batch 8\n"
        "  ridge collect conv:mb16ic64ih56oc64oh56kh3ph1 --threads 1 --state warm\n"
        "  ridge collect alexnet --batch 8 --threads 1..2 --library both");
    CollectOptions& job = options->collect;
    verb->add_option("network", job.network, "Network, YAML file, ONNX model, or layer line")
        ->required();
    add_dim_option(*verb, job.dims);
    verb->add_option("--batch", job.batch, "Images per step (a layer line has its own mb)")
        ->capture_default_str();
    verb->add_option("--threads", options->threads, "all, a number, or a range such as 1..4")
        ->capture_default_str();
    verb->add_option("--passes", options->passes,
                     "all, or only these, separated by commas: forward, backward_data, "
                     "backward_weights, backward, update")
        ->check([](const std::string& text) {
            return text.empty() ? "expected at least one pass, found none" : "";
        })
        ->capture_default_str();
    verb->add_option("--dtype", options->dtype, "f32 or bf16")->capture_default_str();
    verb->add_option("--state", options->state,
                     "Caches before a sample: cold, warm, or in_step as the step leaves them "
                     "(default: in_step for networks, warm for a layer)");
    verb->add_option("--library", options->library, "onednn, openblas (im2col), or both")
        ->capture_default_str();
    verb->add_option("--counters", job.counters,
                     "FLOPs, instructions and bytes of each row: traced (the real kernels are "
                     "emulated and simulated with the machine's caches), hardware, none, or auto: "
                     "hardware where it can be read, else traced")
        ->capture_default_str();
    verb->add_option("--store", job.store, "Run store (default: in the user's data folder)");
    verb->add_option("--machine", job.machine, "Machine file whose quiet levels judge the samples")
        ->capture_default_str();
    verb->add_option("--budget", job.budget_s,
                     "Seconds to measure at most, building not included "
                     "(default: 20 and 4 for each row, 240 at most)");
    verb->add_flag("--resume", job.resume, "Go on with the newest matching run that was cut off");
    verb->add_flag("--repeat-check", options->repeat_check,
                   "Measure twice and print how well the two runs agree");
    verb->add_flag("--json", options->json, "Print the run, or the agreement, as JSON");
    verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace ridge::app
