// Sockets, cores, caches and how threads share them, as hwloc sees the part of the machine that
// this process may use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/units.hpp"

namespace ridge::probe {

/// One core with its hardware threads.
struct Core {
    std::vector<int> cpus;  ///< operating system numbers
    int socket = 0;
    int numa_node = -1;  ///< operating system number; -1: unknown
    int kind = 0;        ///< 0: the fastest kind of core; higher: slower kinds (hybrid processors)
};

/// One data or unified cache.
struct Cache {
    int level = 1;
    Bytes size;
    int line_bytes = 0;      ///< 0: unknown
    int ways = 0;            ///< 0: unknown
    bool inclusive = false;  ///< of the caches nearer to the core
    std::vector<int> cpus;   ///< hardware threads that share it
};

struct Topology {
    int sockets = 1;
    int core_kinds = 1;
    std::vector<Core> cores;
    std::vector<Cache> caches;  ///< every instance, nearest level first
    Bytes memory;               ///< installed; 0: unknown

    [[nodiscard]] int hardware_threads() const;
    /// Cache levels that exist, ascending. A level that some kind of core lacks counts.
    [[nodiscard]] std::vector<int> cache_levels() const;
    /// The cache of a level that serves a hardware thread; null when it has none.
    [[nodiscard]] const Cache* cache_of(int cpu, int level) const;
};

/// This machine, restricted to the hardware threads that this process may run on.
/// Throws Error not_possible when hwloc cannot read it.
[[nodiscard]] Topology read_topology();
/// A machine that lstopo saved (`lstopo file.xml`). Throws Error bad_input.
[[nodiscard]] Topology topology_from_xml(const std::string& xml);

/// The hardware thread for each of `threads` threads: one per core, fastest kind first, filling
/// one socket after the other; then the second thread of each core.
/// Precondition: threads <= hardware_threads().
[[nodiscard]] std::vector<int> binding(const Topology& topology, int threads);

/// Bytes of a cache level that each of the threads on `cpus` can have when they share alike: the
/// least over the caches in use. 0 when some thread has no cache of this level.
[[nodiscard]] Bytes share_per_thread(const Topology& topology, int level,
                                     const std::vector<int>& cpus);
/// Sum of the instances of a level that the threads on `cpus` use.
[[nodiscard]] Bytes total_in_use(const Topology& topology, int level, const std::vector<int>& cpus);

/// 1, 2, 4, ... and `threads` itself.
[[nodiscard]] std::vector<int> thread_counts(int threads);

/// A warning when threads on several NUMA nodes share memory that lies on one of them ("all pages
/// on node 0"), else empty. `page_nodes` and `thread_nodes` hold one node per page or thread.
[[nodiscard]] std::string first_touch_warning(const std::vector<int>& page_nodes,
                                              const std::vector<int>& thread_nodes);

}  // namespace ridge::probe
