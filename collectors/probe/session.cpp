#include "collectors/probe/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "collectors/clock/affinity.hpp"
#include "collectors/probe/buffer_plan.hpp"
#include "collectors/probe/sanity.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"

namespace ridge::probe {
namespace {

// Shares of the budget: looking at the latencies first (they decide how large the buffers of the
// last cache level are), then rounds through everything, then only what has no agreement yet.
constexpr double latency_share = 0.08;
constexpr double settle_share = 0.7;
/// Of the budget, kept for what follows the last round.
constexpr double reserve_s = 0.5;

double bytes_of(const Topology& topology, int cpu, int level) {
    const Cache* cache = topology.cache_of(cpu, level);
    return cache ? cache->size.value() : 0;
}

}  // namespace

double budget_s(const ProbeOptions& options) {
    return options.quick ? 19 : 88;
}
double usual_s(const ProbeOptions& options) {
    return settle_share * budget_s(options);
}

Session::Session(const ProbeOptions& options, const ProbeHooks& hooks)
    : options_(options), hooks_(hooks), begin_s_(now_s()), cpu_begin_s_(thread_cpu_s()) {
    topology_ = read_topology();
    cpu_ = this_cpu();
    core_ = microarchitecture_of(cpu_);
    if (!core_)
        not_measured_.push_back(fmt::format(
            "datasheet values: {} family {:#x} model {:#x} is not among the known processors",
            cpu_.vendor, cpu_.family, cpu_.model));
    choose_threads(options.threads);
    team_ = std::make_unique<Team>(cpus_);
    take_memory();
}

void Session::choose_threads(int wanted) {
    const int cores = static_cast<int>(topology_.cores.size());
    if (wanted < 0 || wanted > cores)
        throw bad_input("--threads", fmt::format("1 to {} (cores that may be used)", cores),
                        std::to_string(wanted));
    const int usable = clock::usable_threads(cores);
    const int threads = wanted > 0 ? wanted : usable;
    if (wanted == 0 && usable < cores)
        not_measured_.push_back(
            fmt::format("more than {} threads: the control group grants no more of the {} cores",
                        usable, cores));
    counts_ = thread_counts(threads);
    cpus_ = binding(topology_, threads);
}

void Session::take_memory() {
    // Half of what is free at most, and of that a part for the chains of dependent loads.
    const double free = available_memory().value();
    const Bytes chain = dram_chain_size(topology_, cpus_.front());
    const auto sizes = sweep_sizes(topology_, cpus_.front());
    const Bytes sweep = sizes.empty() ? Bytes(0) : sizes.back();
    const bool unknown = free == 0;
    const bool chain_fits = unknown || chain + sweep < Bytes(0.25 * free);
    if (!chain_fits)
        not_measured_.push_back(
            fmt::format("latency of DRAM: a buffer of {} needs more than a "
                        "quarter of the {} that are free",
                        format_iec(chain), format_iec(Bytes(free))));

    double least = 0;
    for (const int level : topology_.cache_levels())
        least = std::max(least, bytes_of(topology_, cpus_.front(), level));
    const Bytes for_threads(unknown ? 0 : 0.5 * free - (chain_fits ? (chain + sweep).value() : 0));
    memory_plan_ = plan_memory(topology_, counts_, cpus_, for_threads, Bytes(least / 2));
    for (const Bytes owned : memory_plan_.owned)
        arenas_.emplace_back(std::max(owned, Bytes(3 * memory_block)));
    latency_memory_.emplace(
        LatencyMemory{Arena(chain_fits ? sweep : Bytes(0)), Arena(chain_fits ? chain : Bytes(0))});

    // First touch by the thread that will use the memory: on its own NUMA node. Ones are harmless
    // operands.
    team_->run(team_->size(), [this](Team::Member& member) {
        const Arena& arena = arenas_[static_cast<std::size_t>(member.index())];
        std::fill_n(reinterpret_cast<float*>(arena.data()), arena.size() / sizeof(float), 1.0f);
        if (member.index() == 0 && latency_memory_->sweep.size() > 0)
            std::memset(latency_memory_->sweep.data(), 0, latency_memory_->sweep.size());
    });
}

void Session::run(const std::vector<Task*>& tasks, double settle_s, double deadline_s) {
    ScheduleRules rules;
    rules.settle_s = settle_s;
    rules.deadline_s = deadline_s;
    const Hooks hooks{now_s, hooks_.interrupted, [this](double, const std::string& item) {
                          hooks_.progress(now_s() - begin_s_, item);
                      }};
    if (run_rounds(tasks, rules, hooks) == ScheduleEnd::interrupted)
        throw job_failed("machine probe", "interrupted; nothing was written");
}

void Session::measure() {
    const auto widths = memory_widths(cpu_);
    add_quiet_tasks();
    latencies_ =
        add_latency_tasks(*latency_memory_, topology_, cpus_.front(), widths.front(), tasks_);
    // The first look stops after its share, agreement or not: the rounds go on with these figures.
    const double budget = budget_s(options_);
    const double first_look_s = latency_share * budget;
    run(all_tasks(), first_look_s, now_s() + first_look_s);

    computes_ = add_compute_tasks(*team_, cpu_, counts_, tasks_);
    plan_bandwidths();
    add_overheads();
    const double deadline_s = begin_s_ + budget - reserve_s;
    run(all_tasks(), usual_s(options_) - (now_s() - begin_s_), deadline_s);

    // What contradicts other figures was disturbed in all its agreeing windows; it gets what is
    // left of the time.
    constexpr double second_look_s = 1;
    while (now_s() + second_look_s < deadline_s) {
        const auto suspected = suspected_tasks();
        if (suspected.empty()) return;
        run(suspected, second_look_s, now_s() + 2 * second_look_s);
    }
}

std::vector<Task*> Session::all_tasks() {
    std::vector<Task*> tasks;
    for (Task& task : tasks_) tasks.push_back(&task);
    return tasks;
}

std::vector<Task*> Session::suspected_tasks() {
    Machine machine = build().machine;
    const auto suspicions = check_figures(machine);
    std::set<Task*> suspected;
    for (const Suspicion& suspicion : suspicions) {
        for (Task& task : tasks_)
            if (task.name == suspicion.figure) suspected.insert(&task);
        // The latency of a cache level comes from several sizes of the sweep.
        if (suspicion.figure.find("latency") != std::string::npos)
            for (const LatencyItem& item : latencies_) suspected.insert(&tasks_[item.task]);
    }
    return {suspected.begin(), suspected.end()};
}

/// Readings of the quiet probes on one core and on all cores of each thread count at once.
void Session::add_quiet_tasks() {
    for (const int threads : counts_) {
        Task task;
        task.name = "quiet levels";
        task.measure = [this, threads](int visit, std::vector<WindowSample>& samples) {
            constexpr int readings_per_visit = 10;
            std::vector<clock::ProbeReading> readings(static_cast<std::size_t>(threads));
            for (int i = 0; i < readings_per_visit; ++i) {
                team_->run(threads, [&](Team::Member& member) {
                    member.window([&] {
                        readings[static_cast<std::size_t>(member.index())] =
                            clock::read_quiet_probe();
                    });
                });
                quiet_.add(readings);
                samples.push_back({readings.front().fma.value(), visit, 0});
            }
        };
        tasks_.push_back(std::move(task));
    }
}

void Session::plan_bandwidths() {
    const auto widths = memory_widths(cpu_);
    const auto levels = topology_.cache_levels();
    const int last = levels.empty() ? 0 : levels.back();
    const auto add = [&](const LevelBuffers& buffers, bool non_temporal) {
        const auto items =
            add_bandwidth_tasks(*team_, arenas_, widths, buffers, non_temporal, tasks_);
        bandwidths_.insert(bandwidths_.end(), items.begin(), items.end());
        buffers_.push_back(buffers);
    };
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        const int threads = counts_[i];
        const std::vector<int> used(cpus_.begin(), cpus_.begin() + threads);
        for (const int level : levels) {
            const Bytes effective = level == last ? effective_last_level() : Bytes(0);
            const BufferPlan plan = cache_buffer(topology_, level, used, effective);
            if (plan.reason.empty())
                add({level, threads, plan.per_thread, Bytes(0)}, level == last);
            else
                not_measured_.push_back(
                    fmt::format("bandwidth of L{}, {} threads: {}", level, threads, plan.reason));
        }
        const BufferPlan& dram = memory_plan_.dram[i];
        if (!dram.reason.empty()) {
            not_measured_.push_back(
                fmt::format("bandwidth of DRAM, {} threads: {}", threads, dram.reason));
            continue;
        }
        const double caches = last ? total_in_use(topology_, last, used).value() : 0;
        const double flush = std::max(1.0, 1.25 * caches / threads);
        add({0, threads, dram.per_thread, Bytes(flush)}, true);
    }
}

void Session::add_overheads() {
    for (const int threads : counts_) {
        overheads_.push_back({Cost::parallel_region, threads, tasks_.size()});
        tasks_.push_back(parallel_region_task(*team_, threads));
    }
    overheads_.push_back({Cost::empty_primitive, 1, tasks_.size()});
    tasks_.push_back(empty_primitive_task());
    if (!cpu_.avx2) return;
    overheads_.push_back({Cost::sse_transition, 1, tasks_.size()});
    tasks_.push_back(sse_transition_task(cpu_));
}

}  // namespace ridge::probe
