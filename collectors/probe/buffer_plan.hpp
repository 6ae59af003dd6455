// How large the buffers are that each memory level is measured with.
#pragma once

#include <string>
#include <vector>

#include "collectors/probe/topology.hpp"
#include "ridge/units.hpp"

namespace ridge::probe {

struct BufferPlan {
    Bytes per_thread;    ///< all arrays of a kernel together; 0 when not measured
    std::string reason;  ///< why the level is not measured with these threads; else empty
};

/// Half of what each thread can have of the level, but at least one and a half times what it has of
/// the level before, which would serve it otherwise. A cache that does not hold the contents of the
/// one before (hwloc: not inclusive) holds that much more; a buffer beyond 0.8 of all that could
/// leave the level on the other side, so then it is not measured. `effective` replaces the capacity
/// of one instance when it is smaller (a virtual machine shares its last level with strangers);
/// 0: as reported.
[[nodiscard]] BufferPlan cache_buffer(const Topology& topology, int level,
                                      const std::vector<int>& cpus, Bytes effective);

/// Four times all last-level caches that the threads use, divided among them; 256 MiB where no
/// cache is known.
[[nodiscard]] Bytes memory_buffer(const Topology& topology, const std::vector<int>& cpus);

/// Buffers of DRAM for each thread count, and the memory that each thread must own for all of them
/// together: thread i takes part in every count above i.
struct MemoryPlan {
    std::vector<BufferPlan> dram;  ///< one per thread count
    std::vector<Bytes> owned;      ///< one per thread
};
/// `counts` ascending. Counts whose buffers do not fit into `available` together are not measured,
/// beginning with the smallest; 0: unknown, everything is tried. `cpus` is the binding of the
/// largest count, `least` what each thread owns in any case.
[[nodiscard]] MemoryPlan plan_memory(const Topology& topology, const std::vector<int>& counts,
                                     const std::vector<int>& cpus, Bytes available, Bytes least);

}  // namespace ridge::probe
