// Measures how many bytes per second the threads move to and from each memory level.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectors/probe/arena.hpp"
#include "collectors/probe/buffer_plan.hpp"
#include "collectors/probe/memory_kernels.hpp"
#include "collectors/probe/schedule.hpp"
#include "collectors/probe/team.hpp"

namespace ridge::probe {

/// One bandwidth under measurement; its windows are bytes/s of all threads, with the width of the
/// loads and stores in bits beside them.
struct BandwidthItem {
    int level = 0;  ///< cache level; 0: DRAM
    AccessKind kind = AccessKind::read;
    bool non_temporal = false;
    int threads = 1;
    std::size_t task = 0;
};

/// What a level is measured with at one thread count.
struct LevelBuffers {
    int level = 0;  ///< cache level; 0: DRAM
    int threads = 1;
    Bytes per_thread;        ///< all arrays together
    Bytes flush_per_thread;  ///< DRAM: accessed before the windows, so that they begin with caches
                             ///< that this very access has filled
};

/// Appends tasks for all kinds of access. Non-temporal stores go past the caches, so they are
/// measured where their data could have stayed or has to go anyway: the last cache level (reads
/// come from it, stores go to memory) and DRAM. Visits take turns through `widths`; the fastest
/// makes the figure. `arenas[i]` belongs to thread i; team and arenas must outlive the tasks.
std::vector<BandwidthItem> add_bandwidth_tasks(Team& team, const std::vector<Arena>& arenas,
                                               const std::vector<Isa>& widths,
                                               const LevelBuffers& buffers, bool with_non_temporal,
                                               std::vector<Task>& tasks);

/// "L2"; "DRAM" for 0.
[[nodiscard]] std::string level_name(int level);

/// Nothing when no window came about.
[[nodiscard]] std::optional<Bandwidth> bandwidth_of(const BandwidthItem& item, const Task& task);

}  // namespace ridge::probe
