#include "apps/ridge/calibrate_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "apps/ridge/environment.hpp"
#include "apps/ridge/traced_demand.hpp"
#include "collectors/clock/affinity.hpp"
#include "collectors/clock/quiet_levels.hpp"
#include "collectors/clock/sampler.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "collectors/probe/topology.hpp"
#include "model/predict/cpu/analytic_demand.hpp"
#include "model/predict/cpu/plan.hpp"
#include "model/predict/cpu/predictor.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"
#include "ridge/progress.hpp"

namespace ridge::app {
namespace {

// Of a budget, what goes into choosing samples: the rest is building, probing and tracing.
constexpr double measuring_share = 0.7;
// A row is visited some eight times, two samples and a warm-up each, with probes between; short
// rows fill 6 ms a visit.
constexpr double executions = 24, least_row_s = 0.08;
constexpr double most_bytes = 400e6;

class Progressing final : public clock::SampleSink {
public:
    Progressing(Seconds budget, bool quiet) : progress_("measuring", budget.value(), quiet) {}
    void add_visit(std::size_t, int, const std::vector<Sample>&) override {}
    void add_step(int, const Sample&) override {}
    bool stop_requested() override { return interrupted(); }
    void progress(Seconds elapsed, const std::string& item) override {
        progress_.update(elapsed.value(), item);
    }

private:
    Progress progress_;
};

/// Distinct layers of the networks whose shapes are widely known, at three batches.
std::vector<cpu::Candidate> candidates(const Machine& machine, int threads) {
    const cpu::Predictor guess(machine, cpu::prior_calibration(), threads, CacheState::warm);
    const cpu::CacheSizes caches = cpu::cache_sizes(machine);
    std::vector<cpu::Candidate> list;
    std::set<std::string> known;
    for (const char* name : {"alexnet", "googlenet", "resnet50", "vgg16"})
        for (const std::int64_t batch : {1, 3, 8})
            for (const NetworkLayer& entry : load_network(name, batch).layers) {
                Layer layer = entry.layer;
                layer.name.clear();
                if (!known.insert(to_line(layer)).second) continue;
                double cost = 0, bytes = 0;
                for (const Pass pass : training_passes(layer)) {
                    const auto demand = cpu::analytic_demand(layer, pass, caches, threads);
                    cost += std::max(least_row_s, executions * guess.seconds(layer, pass, demand));
                    bytes += footprint(layer, pass).value();
                }
                if (bytes <= most_bytes) list.push_back(cpu::candidate_of(layer, cost));
            }
    return list;
}

/// Steps of one layer each, and all their kernels.
struct Bench {
    std::vector<TrainingStep> steps;
    std::vector<std::unique_ptr<Kernel>> kernels;
};

Bench build(const std::vector<cpu::Candidate>& all, const std::vector<std::size_t>& chosen,
            int threads) {
    announce_generated_code();
    Bench bench;
    StepOptions options;
    options.threads = threads;
    for (const std::size_t i : chosen) {
        Layer layer = all[i].layer;
        layer.name = fmt::format("{}{}", to_string(layer.kind), i);
        bench.steps.push_back(build_onednn_step(single_layer_network(layer), options));
        for (auto& kernel : bench.steps.back().kernels) bench.kernels.push_back(std::move(kernel));
        bench.steps.back().kernels.clear();
    }
    return bench;
}

QuietLevels levels_of(const Machine& machine, const clock::QuietTracker& tracker) {
    QuietLevels levels = machine.quiet.value_or(QuietLevels{});
    const QuietLevels seen = tracker.levels();
    levels.fma = std::max(levels.fma, seen.fma);
    levels.issue = std::max(levels.issue, seen.issue);
    levels.clock = std::max(levels.clock, seen.clock);
    return levels;
}

}  // namespace

std::vector<validate::ReferenceRow> measure_for_calibration(const CalibrateTask& task) {
    const Machine& machine = *task.machine;
    const clock::ThreadBinding binding(probe::binding(probe::read_topology(), task.threads));
    const auto all = candidates(machine, task.threads);
    const auto chosen = cpu::choose_spread_out(all, measuring_share * task.budget_s);
    if (chosen.size() < 8)
        throw bad_input("--budget", "enough seconds for eight layers",
                        fmt::format("{:.0f} s for {}", task.budget_s, chosen.size()));
    TrainingStep step;  // all kernels as one, for those who take a step
    Bench bench = build(all, chosen, task.threads);
    step.kernels = std::move(bench.kernels);

    const clock::Protocol protocol;
    clock::MachineInstruments instruments(task.threads, 0);
    Run run;
    run.info.environment = describe_environment(bench.steps.front(), {});
    clock::QuietTracker tracker(
        clock::load_quiet_history(clock::quiet_history_path(), run.info.environment.cpu_model));
    const Seconds confirmed =
        instruments.now() + Seconds(clock::windows_to_confirm * clock::window_s);
    while (levels_of(machine, tracker).clock.value() <= 0 && instruments.now() < confirmed)
        tracker.add(instruments.probe());
    clock::SamplingTask sampling;
    sampling.kernels = step.kernels;
    sampling.wanted.assign(step.kernels.size(), true);
    sampling.state = CacheState::warm;
    sampling.budget = Seconds(measuring_share * task.budget_s);
    sampling.levels = levels_of(machine, tracker);
    sampling.reference = tracker.clock_level(task.threads);
    if (sampling.reference.value() <= 0) sampling.reference = sampling.levels.clock;
    clock::SampleSet samples;
    samples.rows.resize(step.kernels.size());
    install_interrupt_handler();
    {
        Progressing sink(sampling.budget, task.quiet);
        if (!clock::sample(sampling, protocol, instruments, samples, sink, tracker))
            throw job_failed("calibrate", "interrupted; nothing was written");
    }
    clock::merge_quiet_history(clock::quiet_history_path(), tracker.history());

    run.info.network = "calibration";
    run.info.threads = task.threads;
    run.info.machine = machine.name;
    for (std::size_t i = 0; i < step.kernels.size(); ++i) {
        if (samples.rows[i].empty()) continue;
        run.rows.push_back(step.kernels[i]->description());
        run.rows.back().time = clock::summarise(samples.rows[i], protocol);
    }
    auto rows = validate::reference_rows(run, trace_step(step, machine, task.threads, task.quiet));
    for (auto& row : rows) row.batch = row.layer.dims.mb;
    return rows;
}

}  // namespace ridge::app
