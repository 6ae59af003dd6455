// One probe from topology to machine (private to probe.cpp and its parts).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectors/clock/quiet_levels.hpp"
#include "collectors/probe/bandwidth_probe.hpp"
#include "collectors/probe/compute_probe.hpp"
#include "collectors/probe/latency_probe.hpp"
#include "collectors/probe/overhead_probe.hpp"
#include "collectors/probe/probe.hpp"
#include "collectors/probe/sse_transition.hpp"
#include "collectors/probe/topology.hpp"

namespace ridge::probe {

class Session {
public:
    /// Finds out what there is and takes the memory.
    Session(const ProbeOptions& options, const ProbeHooks& hooks);
    /// All rounds. Throws Error job_failed when interrupted.
    void measure();
    [[nodiscard]] ProbeResult result();

private:
    enum class Cost { parallel_region, empty_primitive, sse_transition };
    struct OverheadItem {
        Cost cost = Cost::parallel_region;
        int threads = 1;
        std::size_t task = 0;
    };

    void choose_threads(int wanted);
    void take_memory();
    void run(const std::vector<Task*>& tasks, double settle_s, double deadline_s);
    [[nodiscard]] std::vector<Task*> all_tasks();
    /// Tasks of the figures that a machine built now would contradict itself in.
    [[nodiscard]] std::vector<Task*> suspected_tasks();
    void add_quiet_tasks();
    void plan_bandwidths();
    void add_overheads();
    /// Effective capacity of the last cache level as measured so far; 0 when as reported.
    [[nodiscard]] Bytes effective_last_level() const;
    [[nodiscard]] std::vector<LatencyPoint> latency_points() const;
    [[nodiscard]] std::optional<LatencyPoint> point_near(Bytes size) const;
    [[nodiscard]] std::optional<Seconds> dram_latency() const;
    [[nodiscard]] std::optional<LatencyPoint> cache_latency(int level, Bytes size) const;

    /// The figures as measured so far, without checks.
    [[nodiscard]] ProbeResult build() const;
    [[nodiscard]] std::string placement_warning() const;
    [[nodiscard]] std::string load_warning() const;
    void describe(Machine& machine) const;
    void fill_compute(ProbeResult& result) const;
    [[nodiscard]] MemoryLevel cache_level(int level) const;
    [[nodiscard]] MemoryLevel dram_level() const;
    void fill_bandwidths(MemoryLevel& memory, int level, ProbeResult& result) const;
    void fill_overheads(ProbeResult& result) const;

    ProbeOptions options_;
    ProbeHooks hooks_;
    double begin_s_ = 0, cpu_begin_s_ = 0;
    Topology topology_;
    CpuFeatures cpu_;
    std::optional<Microarchitecture> core_;
    std::vector<int> counts_;  ///< thread counts, ascending
    std::vector<int> cpus_;    ///< binding of the largest
    std::unique_ptr<Team> team_;
    MemoryPlan memory_plan_;
    std::vector<Arena> arenas_;  ///< one per thread
    std::optional<LatencyMemory> latency_memory_;
    std::vector<Task> tasks_;
    clock::QuietTracker quiet_;
    std::vector<LatencyItem> latencies_;
    std::vector<ComputeItem> computes_;
    std::vector<BandwidthItem> bandwidths_;
    std::vector<LevelBuffers> buffers_;
    std::vector<OverheadItem> overheads_;
    std::vector<std::string> not_measured_;
};

}  // namespace ridge::probe
