#include "collectors/probe/compute_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectors/probe/figure.hpp"
#include "collectors/probe/names.hpp"
#include "collectors/probe/window_length.hpp"
#include "ridge/statistics.hpp"

namespace ridge::probe {
namespace {

// Quiet periods of a shared core are as short as a millisecond: a window has to fit in, with the
// chains around it. Reading the clock costs about 25 ns.
constexpr double throughput_window_s = 250e-6;
constexpr double chain_window_s = 60e-6;
constexpr int windows_per_visit = 3;

struct Turns {
    std::int64_t throughput = 0, chain = 0, integer = 0;
};

Turns calibrate(const ComputeKernel& kernel) {
    KernelState state;
    fill(state, kernel, 1, 1, 1);
    Turns turns;
    if (kernel.isa == Isa::amx) amx_configure_tiles();
    turns.throughput = repetitions_for(throughput_window_s, [&](std::int64_t n) {
        kernel.throughput(n, state.x, state.y, state.accumulators);
    });
    turns.chain = repetitions_for(chain_window_s, [&](std::int64_t n) {
        kernel.chain(n, state.x, state.y, state.accumulators);
    });
    if (kernel.isa == Isa::amx) amx_release_tiles();
    turns.integer = repetitions_for(chain_window_s, [](std::int64_t n) { (void)integer_chain(n); });
    return turns;
}

/// Windows: a chain, then throughput and chain alternating, an integer chain last.
void work(const ComputeKernel& kernel, const Turns& turns, Team::Member& member) {
    KernelState state;
    fill(state, kernel, 1, 1, 1);
    if (kernel.isa == Isa::amx) amx_configure_tiles();
    const auto chain = [&] { kernel.chain(turns.chain, state.x, state.y, state.accumulators); };
    member.window(chain);
    for (int i = 0; i < windows_per_visit; ++i) {
        member.window(
            [&] { kernel.throughput(turns.throughput, state.x, state.y, state.accumulators); });
        member.window(chain);
    }
    member.window([&] { (void)integer_chain(turns.integer); });
    if (kernel.isa == Isa::amx) amx_release_tiles();
}

/// Mean over the threads of what each did per second.
double rate_per_thread(const std::vector<Interval>& window, double work) {
    double sum = 0;
    for (const Interval& thread : window) sum += work / (thread.end_s - thread.begin_s);
    return sum / static_cast<double>(window.size());
}

bool all_undisturbed(const std::vector<Interval>& window) {
    return std::all_of(window.begin(), window.end(), undisturbed);
}

void evaluate(const ComputeKernel& kernel, const Turns& turns,
              const std::vector<std::vector<Interval>>& windows, int visit,
              std::vector<WindowSample>& samples, std::vector<double>& latencies) {
    const double chain_work = static_cast<double>(turns.chain) * kernel.chain_length;
    const double flops = static_cast<double>(turns.throughput) * kernel.flops_per_turn();
    const auto chain_rate = [&](std::size_t w) { return rate_per_thread(windows[w], chain_work); };
    for (std::size_t i = 0; i < windows_per_visit; ++i) {
        const std::size_t w = 1 + 2 * i;
        // The clock is the better of both chains: what interrupts a chain only makes it slower.
        if (const auto rate = summed_rate(windows[w], flops))
            samples.push_back({*rate, visit, std::max(chain_rate(w - 1), chain_rate(w + 1))});
    }
    const auto& chain = windows[windows.size() - 2];
    const auto& integers = windows.back();
    if (!all_undisturbed(chain) || !all_undisturbed(integers)) return;
    const double integer_work = static_cast<double>(turns.integer) * integer_chain_length;
    const double clock = integer_multiply_latency * rate_per_thread(integers, integer_work);
    latencies.push_back(clock / rate_per_thread(chain, chain_work));
}

Task make_task(Team& team, const ComputeItem& item) {
    Task task;
    task.name = name_of(ComputeCeiling{
        item.kernel->isa, item.kernel->fma, item.kernel->dtype, item.threads, {}, {}, {}});
    task.measure = [&team, item, turns = Turns{}](int visit,
                                                  std::vector<WindowSample>& samples) mutable {
        const ComputeKernel& kernel = *item.kernel;
        if (turns.throughput == 0) turns = calibrate(kernel);
        const auto windows =
            team.run(item.threads, [&](Team::Member& member) { work(kernel, turns, member); });
        evaluate(kernel, turns, windows, visit, samples, *item.latencies);
    };
    return task;
}

}  // namespace

std::vector<ComputeItem> add_compute_tasks(Team& team, const CpuFeatures& cpu,
                                           const std::vector<int>& thread_counts,
                                           std::vector<Task>& tasks) {
    std::vector<ComputeItem> items;
    for (const int threads : thread_counts)
        for (const ComputeKernel& kernel : compute_kernels()) {
            if (!cpu.supports(kernel.isa, kernel.fma, kernel.dtype)) continue;
            ComputeItem item;
            item.kernel = &kernel;
            item.threads = threads;
            item.task = tasks.size();
            tasks.push_back(make_task(team, item));
            items.push_back(item);
        }
    return items;
}

namespace {

struct Latency {
    int cycles = 0;
    std::string note;
};

/// Latency of the chain's instruction: the table's, held against the derived one, which is a whole
/// number when the clock stood still between the two chains. 0 cycles: neither is known.
Latency latency_of(const ComputeItem& item, const std::optional<Microarchitecture>& core,
                   std::string& finding) {
    const int table = core ? chain_latency(*core, *item.kernel) : 0;
    if (item.latencies->empty())
        return {table,
                fmt::format("latency {} cycles, unchecked: no window was undisturbed", table)};
    const double derived = median(*item.latencies);
    const int rounded = std::max(1, static_cast<int>(std::lround(derived)));
    if (table == 0)
        return {rounded, fmt::format("latency {} cycles, derived: {:.2f} against integer "
                                     "multiplications of 3",
                                     rounded, derived)};
    if (table != rounded)
        finding = fmt::format("latency of {} cycles by the table, {:.2f} measured", table, derived);
    return {table,
            fmt::format("latency {} cycles ({}), measured {:.2f}", table, core->name, derived)};
}

}  // namespace

std::optional<ComputeCeiling> ceiling_of(const ComputeItem& item, const Task& task,
                                         const std::optional<Microarchitecture>& core,
                                         std::string& finding) {
    const auto cluster = top_cluster(task.samples);
    if (!cluster) return std::nullopt;
    const ComputeKernel& kernel = *item.kernel;
    ComputeCeiling ceiling;
    ceiling.isa = kernel.isa;
    ceiling.fma = kernel.fma;
    ceiling.dtype = kernel.dtype;
    ceiling.threads = item.threads;
    ceiling.flops_per_s = figure_of(*cluster, cluster->rate, task.samples.size());

    const Latency latency = latency_of(item, core, finding);
    if (latency.cycles == 0) return ceiling;
    const double clock = latency.cycles * cluster->highest_aux();
    ceiling.chain_clock_hz = Figure{clock, Source::measured, -1, latency.note};

    const double per_cycle = core ? instructions_per_cycle(*core, kernel) : 0;
    if (per_cycle > 0) {
        const double flops_per_instruction = kernel.lanes * kernel.flops_per_lane;
        ceiling.datasheet_flops_per_s = Figure{
            item.threads * per_cycle * flops_per_instruction * clock, Source::given, -1,
            fmt::format("{}: {:g} instructions per cycle x {:g} FLOP x {:.3f} GHz (measured "
                        "clock) x {} threads",
                        core->name, per_cycle, flops_per_instruction, clock / 1e9, item.threads)};
    }
    return ceiling;
}

}  // namespace ridge::probe
