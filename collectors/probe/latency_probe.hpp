// Measures what a dependent load costs in buffers of growing size: the latency of each level, and
// from where the latency rises, how much of the last cache level there really is for us.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectors/probe/arena.hpp"
#include "collectors/probe/memory_kernels.hpp"
#include "collectors/probe/schedule.hpp"
#include "collectors/probe/topology.hpp"

namespace ridge::probe {

/// A buffer size of the sweep. Its windows are loads/s of one thread.
struct LatencyItem {
    Bytes size;
    bool memory = false;  ///< the chain through DRAM
    std::size_t task = 0;
};

/// Buffer in which a level's own latency shows: half of it, but for a level between two others at
/// most four times the one before, as more would need more pages than the first TLB holds where
/// they are small (a hypervisor may split huge ones unseen).
[[nodiscard]] Bytes latency_size(const Topology& topology, int cpu, int level);

/// Sizes of the sweep: the latency_size of each cache level but the last; then from twice the level
/// before the last to twice the last, in factors of two and, near its capacity, of the square root
/// of two.
[[nodiscard]] std::vector<Bytes> sweep_sizes(const Topology& topology, int cpu);

/// Bytes of the buffer that follows chains through DRAM: four times the last level that `cpu` uses.
[[nodiscard]] Bytes dram_chain_size(const Topology& topology, int cpu);

/// Memory of the sweep; the chain through DRAM is built once and keeps its place.
struct LatencyMemory {
    Arena sweep, dram;
    const std::byte* dram_cursor = nullptr;
};

/// Appends a task per size, and one for DRAM when there is memory for its chain. `memory` must
/// outlive the tasks. Loads of the width `isa` warm the caches.
std::vector<LatencyItem> add_latency_tasks(LatencyMemory& memory, const Topology& topology, int cpu,
                                           Isa isa, std::vector<Task>& tasks);

/// A point of the latency curve.
struct LatencyPoint {
    Bytes size;
    Seconds latency;
};

/// Latency of a level's own loads where the level before, of `inner` bytes and `inner_latency`,
/// serves its share inner/size of the loads: those in random order that come to each line for the
/// first time since the buffer was read in order. A buffer that a window goes round several times
/// (see goes_round) finds nothing in the level before, which keeps the lines used last.
[[nodiscard]] Seconds without_inner_hits(LatencyPoint point, Bytes inner, Seconds inner_latency);

/// Whether one window follows the chain through all `lines` more than once.
[[nodiscard]] bool goes_round(double lines, Seconds latency);

/// Capacity that random loads in a warmed buffer of S bytes see: C = S x (memory - t) / (memory -
/// cache), for a hit rate of C/S, as every replacement policy gives it when the order of the loads
/// knows nothing of the order of the warming. The median over the points where between 15 % and 85
/// % of the loads miss; nothing when no point lies there (the cache is at least as large as the
/// sweep).
[[nodiscard]] std::optional<Bytes> effective_capacity(std::span<const LatencyPoint> points,
                                                      Seconds cache, Seconds memory);

}  // namespace ridge::probe
