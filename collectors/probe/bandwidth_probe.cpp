#include "collectors/probe/bandwidth_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/probe/figure.hpp"
#include "collectors/probe/names.hpp"
#include "collectors/probe/window_length.hpp"

namespace ridge::probe {
namespace {

constexpr double window_s = 300e-6;
// DRAM's rate changes from one burst of other traffic to the next; longer windows average over
// that, but are more often interrupted.
constexpr double dram_window_s = 500e-6;
constexpr int windows_per_visit = 3;

const MemoryKernel& kernel_for(Isa isa, AccessKind kind, bool non_temporal) {
    const auto kernels = memory_kernels();
    return *std::find_if(kernels.begin(), kernels.end(), [&](const MemoryKernel& kernel) {
        return kernel.isa == isa && kernel.kind == kind && kernel.non_temporal == non_temporal;
    });
}

/// How a window goes over the arrays: several times over all of them, or over the next slice of
/// arrays that are too large for one window.
struct Walk {
    std::int64_t passes = 0;
    std::int64_t slice = 0;   ///< bytes of each array in a window
    std::int64_t cursor = 0;  ///< where the next slice begins

    [[nodiscard]] MemoryArrays next(const MemoryArrays& whole) {
        if (cursor + slice > whole.bytes) cursor = 0;
        MemoryArrays part{whole.a + cursor, whole.b + cursor, whole.c + cursor, slice};
        cursor += slice;
        return part;
    }
};

/// Thread 0 finds out alone; with more threads a window lasts longer where they share a level.
Walk calibrate(const MemoryKernel& kernel, const MemoryArrays& arrays, bool sliced) {
    ReadSums sums;
    Walk walk;
    walk.slice = arrays.bytes;
    walk.passes = 1;
    if (!sliced) {
        walk.passes =
            repetitions_for(window_s, [&](std::int64_t n) { kernel.loop(arrays, n, sums); });
        return walk;
    }
    // Slices of fresh memory, so that the calibration does not find its own data in a cache.
    constexpr std::int64_t trial = std::int64_t{256} << 10;
    walk.slice = std::min(arrays.bytes, trial);
    double took = 1;
    for (int i = 0; i < 4; ++i) {
        const MemoryArrays part = walk.next(arrays);
        const double begin = now_s();
        kernel.loop(part, 1, sums);
        took = std::min(took, now_s() - begin);
    }
    const double bytes = static_cast<double>(walk.slice) * dram_window_s / took;
    walk.slice = std::clamp(static_cast<std::int64_t>(bytes) / memory_block * memory_block,
                            memory_block, arrays.bytes);
    return walk;
}

struct Measurer {
    Team& team;
    const std::vector<Arena>& arenas;
    std::vector<const MemoryKernel*> kernels;  ///< of one kind, by width
    LevelBuffers buffers;
    std::vector<std::vector<Walk>> walks = {};  ///< by kernel and thread

    [[nodiscard]] AccessKind kind() const { return kernels.front()->kind; }
    [[nodiscard]] bool sliced() const { return buffers.flush_per_thread.value() > 0; }

    [[nodiscard]] MemoryArrays arrays(int thread) const {
        return lay_out(kind(), arenas[static_cast<std::size_t>(thread)].data(),
                       static_cast<std::int64_t>(buffers.per_thread.value()));
    }

    /// Leaves the caches as a long run of this access would: full of the data, and of the dirty
    /// lines, that it works on.
    void prepare(MemoryLoop loop, Walk& walk, const MemoryArrays& whole, ReadSums& sums) const {
        if (!sliced()) return loop(whole, 1, sums);
        const double moved_per_slice = static_cast<double>(walk.slice) * arrays_of(kind());
        for (double moved = 0; moved < buffers.flush_per_thread.value(); moved += moved_per_slice)
            loop(walk.next(whole), 1, sums);
    }

    void work(MemoryLoop loop, Walk& walk, Team::Member& member) const {
        const MemoryArrays whole = arrays(member.index());
        ReadSums sums;
        prepare(loop, walk, whole, sums);
        for (int i = 0; i < windows_per_visit; ++i) {
            const MemoryArrays part = walk.next(whole);
            member.window([&] { loop(part, walk.passes, sums); });
        }
    }

    void operator()(int visit, std::vector<WindowSample>& samples) {
        if (walks.empty())
            for (const MemoryKernel* kernel : kernels)
                walks.emplace_back(static_cast<std::size_t>(buffers.threads),
                                   calibrate(*kernel, arrays(0), sliced()));
        const std::size_t turn = static_cast<std::size_t>(visit) % kernels.size();
        const MemoryKernel& kernel = *kernels[turn];
        auto& walk = walks[turn];
        const auto windows = team.run(buffers.threads, [&](Team::Member& member) {
            work(kernel.loop, walk[static_cast<std::size_t>(member.index())], member);
        });
        const double bytes =
            static_cast<double>(walk[0].slice * walk[0].passes) * arrays_of(kind());
        for (const auto& window : windows)
            if (const auto rate = joint_rate(window, bytes))
                samples.push_back({*rate, visit, static_cast<double>(bits_of(kernel.isa))});
    }
};

}  // namespace

std::vector<BandwidthItem> add_bandwidth_tasks(Team& team, const std::vector<Arena>& arenas,
                                               const std::vector<Isa>& widths,
                                               const LevelBuffers& buffers, bool with_non_temporal,
                                               std::vector<Task>& tasks) {
    std::vector<BandwidthItem> items;
    const auto add = [&](AccessKind kind, bool non_temporal) {
        std::vector<const MemoryKernel*> kernels;
        for (const Isa isa : widths) kernels.push_back(&kernel_for(isa, kind, non_temporal));
        Task task;
        task.name = name_of(level_name(buffers.level), {kind, non_temporal, buffers.threads, {}});
        task.measure = Measurer{team, arenas, kernels, buffers};
        items.push_back({buffers.level, kind, non_temporal, buffers.threads, tasks.size()});
        tasks.push_back(std::move(task));
    };
    for (const auto kind :
         {AccessKind::read, AccessKind::write, AccessKind::copy, AccessKind::triad}) {
        add(kind, false);
        if (with_non_temporal && kind != AccessKind::read) add(kind, true);
    }
    return items;
}

std::string level_name(int level) {
    return level == 0 ? "DRAM" : "L" + std::to_string(level);
}

namespace {

/// Windows of both widths may agree.
std::string width_of(const TopCluster& cluster) {
    const double low = cluster.lowest_aux(), high = cluster.highest_aux();
    return low == high ? fmt::format("{:g}-bit accesses", low)
                       : fmt::format("{:g}- or {:g}-bit accesses", low, high);
}

}  // namespace

std::optional<Bandwidth> bandwidth_of(const BandwidthItem& item, const Task& task) {
    const auto cluster = top_cluster(task.samples);
    if (!cluster) return std::nullopt;
    return Bandwidth{item.kind, item.non_temporal, item.threads,
                     figure_of(*cluster, cluster->rate, task.samples.size(), width_of(*cluster))};
}

}  // namespace ridge::probe
