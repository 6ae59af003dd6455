#include "apps/ridge/collect_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/ridge/environment.hpp"
#include "apps/ridge/hardware_counters.hpp"
#include "apps/ridge/local_machine.hpp"
#include "collectors/blas/blas_step.hpp"
#include "collectors/clock/affinity.hpp"
#include "collectors/clock/sampler.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "collectors/probe/topology.hpp"
#include "core/files.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"
#include "ridge/progress.hpp"
#include "ridge/run_store.hpp"

namespace ridge::app {
namespace {

bool is_layer_line(const std::string& text) {
    return text.find(':') != std::string::npos && !file_exists(text);
}

Network network_of(const CollectOptions& options) {
    if (is_layer_line(options.network)) {
        Layer layer = parse_layer(options.network);
        if (options.dtype != DataType::f32) layer.dtype = options.dtype;
        return single_layer_network(layer);
    }
    return with_dtype(load_network(options.network, options.batch), options.dtype);
}

/// One hardware thread per core, in the order of the topology.
std::vector<int> cpus_for(int threads) {
    const probe::Topology topology = probe::read_topology();
    const int most = usable_thread_count();
    const int wanted = threads == 0 ? most : threads;
    if (wanted < 1 || wanted > most)
        throw bad_input("--threads", fmt::format("1 to the {} usable cores of this machine", most),
                        fmt::format("{}", threads));
    return probe::binding(topology, wanted);
}

std::string command_line(const CollectOptions& options, int threads, CacheState state) {
    std::string line = fmt::format("ridge collect '{}'", options.network);
    if (!is_layer_line(options.network)) line += fmt::format(" --batch {}", options.batch);
    line += fmt::format(" --threads {} --state {}", threads, to_string(state));
    if (options.dtype != DataType::f32)
        line += fmt::format(" --dtype {}", to_string(options.dtype));
    if (options.library != "onednn") line += fmt::format(" --library {}", options.library);
    return line;
}

/// Keeps every visit as it is made and shows where the run is.
class StoringSink final : public clock::SampleSink {
public:
    StoringSink(RunStore& store, std::int64_t run, const TrainingStep& step, Seconds budget,
                bool quiet)
        : store_(store), run_(run), step_(step), progress_("measuring", budget.value(), quiet) {}

    void add_visit(std::size_t row, int visit, const std::vector<Sample>& samples) override {
        store_.add_visit(run_, step_.kernels[row]->description(), visit, samples);
    }
    void add_step(int visit, const Sample& sample) override {
        store_.put_step_samples(run_, visit, {sample});
    }
    bool stop_requested() override { return interrupted(); }
    void progress(Seconds elapsed, const std::string& item) override {
        progress_.update(elapsed.value(), item);
    }

private:
    RunStore& store_;
    std::int64_t run_;
    const TrainingStep& step_;
    Progress progress_;
};

/// Rows that were asked for; reorders belong to the pass they are made for.
std::vector<bool> wanted_rows(const TrainingStep& step, const std::vector<Pass>& passes) {
    std::vector<bool> wanted;
    for (const auto& kernel : step.kernels) {
        const Pass pass = kernel->description().key.pass;
        wanted.push_back(passes.empty() ||
                         std::find(passes.begin(), passes.end(), pass) != passes.end());
    }
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end())
        throw bad_input("--passes", "a pass that this network or layer has", "none of them");
    return wanted;
}

TrainingStep build_step(const Network& network, const CollectOptions& options, int threads) {
    StepOptions step_options;
    step_options.threads = threads;
    if (options.library == "onednn") return build_onednn_step(network, step_options);
    if (options.library == "openblas") return build_openblas_step(network, step_options);
    throw bad_input("--library", "onednn or openblas", "'" + options.library + "'");
}

/// Enough for rows that settle, and no more than one waits for on a machine where none does.
Seconds usual_budget(const std::vector<bool>& wanted) {
    const auto rows = static_cast<double>(std::count(wanted.begin(), wanted.end(), true));
    return Seconds(std::min(20 + 4 * rows, 240.0));
}

/// What it takes to replace all that the caches hold.
std::size_t flush_bytes_of(const Machine& machine) {
    if (machine.levels.size() < 2) return 0;
    const MemoryLevel& last_cache = machine.levels[machine.levels.size() - 2];
    const double capacity = std::max(
        last_cache.capacity_bytes ? last_cache.capacity_bytes->value : 0.0,
        last_cache.effective_capacity_bytes ? last_cache.effective_capacity_bytes->value : 0.0);
    return static_cast<std::size_t>(2 * capacity);
}

/// A machine that nobody looked at has no levels yet, and samples cannot be held against nothing:
/// a first look, as long as it takes to confirm a level.
void look_first(clock::Instruments& instruments, clock::QuietTracker& tracker) {
    const Seconds until = instruments.now() + Seconds(clock::windows_to_confirm * clock::window_s);
    while (instruments.now() < until) tracker.add(instruments.probe());
}

QuietLevels levels_of(const Machine& machine, const clock::QuietTracker& tracker) {
    const QuietLevels seen = tracker.levels();
    if (!machine.quiet) return seen;
    QuietLevels levels = *machine.quiet;
    levels.fma = std::max(levels.fma, seen.fma);
    levels.issue = std::max(levels.issue, seen.issue);
    levels.clock = std::max(levels.clock, seen.clock);
    return levels;
}

/// Samples of an interrupted run, so that nothing is measured twice.
clock::SampleSet samples_so_far(const RunStore& store, std::int64_t run, const TrainingStep& step,
                                bool resumed) {
    clock::SampleSet set;
    set.rows.resize(step.kernels.size());
    if (!resumed) return set;
    for (std::size_t i = 0; i < step.kernels.size(); ++i)
        set.rows[i] = store.samples(run, step.kernels[i]->description().key);
    set.step = store.step_samples(run);
    return set;
}

/// Counters of a row; empty when none are read.
using RowCounter = std::function<std::map<std::string, Reading>(std::size_t row)>;

void store_summaries(RunStore& store, std::int64_t run, const TrainingStep& step,
                     const clock::SampleSet& samples, const std::vector<bool>& wanted,
                     const clock::Protocol& protocol, const RowCounter& count) {
    Seconds sum;
    for (std::size_t i = 0; i < step.kernels.size(); ++i) {
        if (!wanted[i] || samples.rows[i].empty()) continue;
        Measurement row = step.kernels[i]->description();
        row.time = clock::summarise(samples.rows[i], protocol);
        if (count) row.counters = count(i);
        sum += row.time.time;
        store.put_row(run, row);
    }
    const auto pairs = clock::step_pairs(samples, wanted);
    if (samples.step.size() >= 3 && pairs.size() >= 3)
        store.put_step(run, clock::summarise_step(samples.step, pairs, sum, protocol));
}

/// Adds what this run saw of the machine to what is known of it. Where that raised a level, the
/// runs of this processor that were judged by a lower one are named, with the way to repeat them.
void keep_levels(const clock::QuietTracker& tracker, const RunStore& store, const RunInfo& info) {
    const QuietLevels levels =
        clock::QuietTracker(
            clock::merge_quiet_history(clock::quiet_history_path(), tracker.history()))
            .levels();
    if (!clock::judged_by_lower(info, levels)) return;
    std::string lines;
    for (const RunInfo& run : store.list_runs()) {
        if (run.environment.cpu_model != info.environment.cpu_model ||
            run.environment.hostname_hash != info.environment.hostname_hash ||
            !clock::judged_by_lower(run, levels))
            continue;
        lines += fmt::format("  run {}, {} layer passes:  {}\n", run.id,
                             store.load_run(run.id).rows.size(), run.command);
    }
    fmt::print(
        stderr,
        "ridge: this machine showed a quieter level than these runs were judged by; they may "
        "hold disturbed samples. To measure them again:\n{}",
        lines);
}

}  // namespace

int usable_thread_count() {
    return clock::usable_threads(static_cast<int>(probe::read_topology().cores.size()));
}

std::int64_t collect(const CollectOptions& options) {
    const Network network = network_of(options);
    const std::vector<int> cpus = cpus_for(options.threads);
    const int threads = static_cast<int>(cpus.size());
    const CacheState state = options.state.value_or(
        is_layer_line(options.network) ? CacheState::warm : CacheState::in_step);
    if (options.budget_s && (!(*options.budget_s > 0) || std::isinf(*options.budget_s)))
        throw bad_input("--budget", "seconds above 0", fmt::format("{}", *options.budget_s));
    // Refused before minutes of work, made after whatever else may be refused.
    const std::string store_path = options.store.empty() ? RunStore::default_path() : options.store;
    RunStore::require_usable(store_path);
    const Machine machine = machine_or_probe(options.machine);

    const clock::ThreadBinding binding(cpus);
    const TrainingStep step = build_step(network, options, threads);
    for (const auto& [key, reason] : step.unavailable)
        if (options.library == "onednn")
            fmt::print(stderr, "ridge: not measured: {} {}: {}\n", key.layer, to_string(key.pass),
                       reason);
    const std::vector<bool> wanted = wanted_rows(step, options.passes);

    const clock::Protocol protocol;
    RunInfo info;
    info.network = network.name;
    info.batch = network.batch;
    info.threads = threads;
    info.dtype = network.layers.front().layer.dtype;
    info.state = state;
    info.library = options.library;
    info.machine = machine.name;
    info.environment = describe_environment(step, cpus);
    clock::QuietTracker tracker(
        clock::load_quiet_history(clock::quiet_history_path(), info.environment.cpu_model));
    clock::MachineInstruments instruments(threads,
                                          state == CacheState::cold ? flush_bytes_of(machine) : 0);
    if (levels_of(machine, tracker).clock.value() <= 0) look_first(instruments, tracker);
    const QuietLevels levels = levels_of(machine, tracker);
    info.quiet_fma = levels.fma;
    info.quiet_issue = levels.issue;
    info.quiet_clock = tracker.clock_level(threads);
    if (info.quiet_clock.value() <= 0) info.quiet_clock = levels.clock;
    info.protocol = clock::describe(protocol, state);
    info.command = command_line(options, threads, state);
    info.started_at = now_utc();

    RunStore store(store_path, options.resume ? StoreAccess::write : StoreAccess::create);
    std::optional<std::int64_t> interrupted_run;
    if (options.resume) {
        interrupted_run = store.find_incomplete(info);
        if (!interrupted_run)
            throw bad_input("--resume",
                            "an interrupted run of the same network, batch, threads, "
                            "state and library in the store",
                            "none");
    }
    if (interrupted_run)
        info = store.resume_run(*interrupted_run);
    else
        info.id = store.begin_run(info);

    install_interrupt_handler();
    clock::SamplingTask task;
    task.kernels = step.kernels;
    task.wanted = wanted;
    task.state = state;
    task.time_step = state == CacheState::in_step && options.passes.empty();
    task.budget = options.budget_s ? Seconds(*options.budget_s) : usual_budget(wanted);
    task.levels = levels;
    task.levels.fma = info.quiet_fma;
    task.levels.issue = info.quiet_issue;
    task.reference = info.quiet_clock;

    clock::SampleSet samples = samples_so_far(store, info.id, step, interrupted_run.has_value());
    bool finished = false;
    {
        StoringSink sink(store, info.id, step, task.budget, options.quiet);
        finished = clock::sample(task, protocol, instruments, samples, sink, tracker);
    }
    keep_levels(tracker, store, info);
    if (!finished)
        throw job_failed("collect",
                         fmt::format("interrupted; what was measured is kept, go on with: {} "
                                     "--resume",
                                     info.command));
    // Times are complete by now: none of them comes from a run with counters on.
    RowCounter count;
    if (options.counters != nullptr)
        count = [&](std::size_t row) {
            return count_row(*options.counters, step, row, state, flush_bytes_of(machine));
        };
    store_summaries(store, info.id, step, samples, wanted, protocol, count);
    store.finish_run(info.id);
    return info.id;
}

}  // namespace ridge::app
