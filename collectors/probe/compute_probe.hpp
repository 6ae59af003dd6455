// Measures the compute ceilings: for every kernel that the processor can run and every thread
// count, the throughput loop alternates with a chain of dependent operations of the same width,
// which gives the clock at that very moment.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectors/probe/compute_kernels.hpp"
#include "collectors/probe/microarchitecture.hpp"
#include "collectors/probe/schedule.hpp"
#include "collectors/probe/team.hpp"

namespace ridge::probe {

/// One ceiling under measurement. Its windows are FLOP/s of all threads, with the chain's
/// instructions/s of one thread beside them.
struct ComputeItem {
    const ComputeKernel* kernel = nullptr;
    int threads = 1;
    std::size_t task = 0;  ///< position in the list of tasks
    /// Latencies in cycles, from the chain against a chain of integer multiplications beside it.
    std::shared_ptr<std::vector<double>> latencies = std::make_shared<std::vector<double>>();
};

/// Appends a task per kernel and thread count. `team` must outlive the tasks.
std::vector<ComputeItem> add_compute_tasks(Team& team, const CpuFeatures& cpu,
                                           const std::vector<int>& thread_counts,
                                           std::vector<Task>& tasks);

/// The ceiling with its clock and its datasheet value; nothing when no window came about. Without
/// `core` (an unknown processor, or threads on other kinds of cores than it describes) the latency
/// is the derived one and there is no datasheet value. `finding` receives a line when the derived
/// latency contradicts the table.
[[nodiscard]] std::optional<ComputeCeiling> ceiling_of(const ComputeItem& item, const Task& task,
                                                       const std::optional<Microarchitecture>& core,
                                                       std::string& finding);

}  // namespace ridge::probe
