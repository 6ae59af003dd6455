#include "apps/ridge/collect_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/ridge/count_run.hpp"
#include "apps/ridge/environment.hpp"
#include "apps/ridge/local_machine.hpp"
#include "apps/ridge/network_argument.hpp"
#include "collectors/blas/blas_step.hpp"
#include "collectors/clock/affinity.hpp"
#include "collectors/clock/sampler.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "collectors/probe/topology.hpp"
#include "core/files.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"
#include "ridge/kept_caches.hpp"
#include "ridge/network.hpp"
#include "ridge/progress.hpp"
#include "ridge/run_store.hpp"
#include "ridge/tracer.hpp"

namespace ridge::app {
namespace {

Network network_of(const CollectOptions& options) {
    if (is_layer_line(options.network)) {
        Layer layer = parse_layer(options.network);
        if (options.dtype != DataType::f32) layer.dtype = options.dtype;
        return single_layer_network(layer);
    }
    const Network network = load_network_argument({options.network, options.batch, options.dims});
    if (!network.chained)
        throw not_possible("measuring '" + options.network + "' as one step",
                           "its layers do not hand their tensors on as they are; measure one by "
                           "its line ('ridge network show' prints them)");
    return options.dtype == DataType::f32 ? network : with_dtype(network, options.dtype);
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
    for (const std::string& dim : options.dims) line += fmt::format(" --dim '{}'", dim);
    if (options.library != "onednn") line += fmt::format(" --library {}", options.library);
    if (options.counters != "auto") line += fmt::format(" --counters {}", options.counters);
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
    if (options.library == "onednn") {
        if (options.chosen_counters.traced) announce_generated_code();
        return build_onednn_step(network, step_options);
    }
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

/// Stores the summaries and returns the rows with them, one for each kernel.
std::vector<Measurement> store_summaries(RunStore& store, std::int64_t run,
                                         const TrainingStep& step, const clock::SampleSet& samples,
                                         const std::vector<bool>& wanted,
                                         const std::vector<Counters>& counters,
                                         const clock::Protocol& protocol) {
    Seconds sum;
    std::vector<Measurement> rows;
    for (std::size_t i = 0; i < step.kernels.size(); ++i) {
        rows.push_back(step.kernels[i]->description());
        if (!wanted[i] || samples.rows[i].empty()) continue;
        Measurement& row = rows.back();
        row.time = clock::summarise(samples.rows[i], protocol);
        row.counters = counters[i];
        sum += row.time.time;
        store.put_row(run, row);
    }
    const auto pairs = clock::step_pairs(samples, wanted);
    if (samples.step.size() >= 3 && pairs.size() >= 3)
        store.put_step(run, clock::summarise_step(samples.step, pairs, sum, protocol));
    return rows;
}

/// Tracing may take as long as measuring, and half a minute in any case.
Seconds counting_budget(Seconds measuring) {
    return std::max(measuring, Seconds(30));
}

/// How the rows are counted once they are measured; the budget follows.
RunCounting counting_of(const CollectOptions& options, const TrainingStep& step,
                        const std::vector<bool>& wanted, CacheState state, const Machine& machine,
                        int threads) {
    RunCounting counting;
    counting.choice = options.chosen_counters;
    counting.flush_bytes = flush_bytes_of(machine);
    CountingTask& task = counting.task;
    task.step = &step;
    task.wanted = wanted;
    task.state = state;
    task.threads = threads;
    task.quiet = options.quiet;
    if (!counting.choice.traced && !counting.choice.hardware) return counting;
    try {
        task.caches = hierarchy_of(machine, threads);
    } catch (const Error& error) {
        task.no_caches = error.what();
    }
    return counting;
}

/// Counts of one run have one origin.
void require_same_counters(const RunInfo& interrupted, const RunInfo& info) {
    if (interrupted.counters != info.counters)
        throw bad_input("--resume", "the counters of the interrupted run: " + interrupted.counters,
                        info.counters);
    if (interrupted.simulated_caches != info.simulated_caches)
        throw bad_input("--resume",
                        "the caches of the interrupted run: " + interrupted.simulated_caches,
                        info.simulated_caches);
}

Error interrupted_error(const RunInfo& info) {
    return job_failed("collect", fmt::format("interrupted; what was measured is kept, go on with: "
                                             "{} --resume",
                                             info.command));
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

TrainingStep rebuild_step(const RunInfo& info) {
    CollectOptions options;
    // As command_line() wrote it: what stands between the quotes is a name, a path or a layer.
    const auto begin = info.command.find('\'');
    const auto end = info.command.rfind('\'');
    options.network = begin < end ? info.command.substr(begin + 1, end - begin - 1) : info.network;
    options.batch = info.batch;
    options.dtype = info.dtype;
    options.library = info.library;
    options.chosen_counters.traced = true;
    return build_step(network_of(options), options, info.threads);
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
    RunCounting counting = counting_of(options, step, wanted, state, machine, threads);
    info.counters = counting.choice.words();
    if (counting.task.caches) info.simulated_caches = describe_caches(*counting.task.caches);

    RunStore store(store_path, options.resume ? StoreAccess::write : StoreAccess::create);
    std::optional<std::int64_t> interrupted_run;
    if (options.resume) {
        interrupted_run = store.find_incomplete(info);
        if (!interrupted_run)
            throw bad_input("--resume",
                            "an interrupted run of the same network, batch, threads, "
                            "state and library in the store",
                            "none");
        require_same_counters(store.load_run(*interrupted_run).info, info);
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
    std::vector<Counters> counters(step.kernels.size());
    if (interrupted_run) counters = counters_so_far(store, info.id, step);
    bool finished = false;
    {
        StoringSink sink(store, info.id, step, task.budget, options.quiet);
        finished = clock::sample(task, protocol, instruments, samples, sink, tracker);
    }
    keep_levels(tracker, store, info);
    if (!finished) throw interrupted_error(info);
    counting.rows = store_summaries(store, info.id, step, samples, wanted, counters, protocol);
    counting.task.budget = counting_budget(task.budget);
    if (!count_run(counting, store, info.id, counters)) throw interrupted_error(info);
    store.finish_run(info.id);
    return info.id;
}

}  // namespace ridge::app
