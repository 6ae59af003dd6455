#include "collectors/probe/latency_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectors/probe/names.hpp"
#include "collectors/probe/pointer_chase.hpp"
#include "collectors/probe/team.hpp"
#include "collectors/probe/window_length.hpp"
#include "ridge/format.hpp"
#include "ridge/statistics.hpp"

namespace ridge::probe {
namespace {

constexpr double window_s = 200e-6;
constexpr int windows_per_visit = 3;
constexpr int default_line = 64;

std::size_t line_of(const Topology& topology, int cpu) {
    const Cache* first = topology.cache_of(cpu, 1);
    return static_cast<std::size_t>(first && first->line_bytes > 0 ? first->line_bytes
                                                                   : default_line);
}

MemoryLoop reader(Isa isa) {
    for (const MemoryKernel& kernel : memory_kernels())
        if (kernel.isa == isa && kernel.kind == AccessKind::read) return kernel.loop;
    return memory_kernels().front().loop;
}

void read_through(MemoryLoop loop, const Arena& arena, std::size_t bytes, int passes) {
    ReadSums sums;
    const auto whole = static_cast<std::int64_t>(std::min(bytes, arena.size()));
    loop(lay_out(AccessKind::read, arena.data(), whole), passes, sums);
}

/// Loads of one window, found once; `at` moves along.
std::int64_t calibrate(const std::byte*& at) {
    return chase_step *
           repetitions_for(window_s, [&](std::int64_t n) { at = chase(at, n * chase_step); });
}

void take_window(const std::byte*& at, std::int64_t loads, int visit,
                 std::vector<WindowSample>& samples) {
    const Interval window = timed([&] { at = chase(at, loads); });
    if (undisturbed(window))
        samples.push_back({static_cast<double>(loads) / window.length_s(), visit, 0});
}

Task sweep_task(LatencyMemory& memory, std::size_t bytes, std::size_t line, MemoryLoop read) {
    Task task;
    task.name = "latency of " + format_iec(Bytes(static_cast<double>(bytes)));
    task.measure = [&memory, bytes, line, read, loads = std::int64_t{0}](
                       int visit, std::vector<WindowSample>& samples) mutable {
        // All sizes share the memory, so the chain is built for every visit. Reading in order then
        // leaves in the caches what fits, in an order that has nothing to do with the chain's.
        const std::byte* at = build_chain(memory.sweep.data(), bytes, line);
        read_through(read, memory.sweep, bytes, 2);
        if (loads == 0) loads = calibrate(at);
        for (int i = 0; i < windows_per_visit; ++i) {
            read_through(read, memory.sweep, bytes, 1);
            take_window(at, loads, visit, samples);
        }
    };
    return task;
}

/// The chain is four times as long as the last cache level and every visit goes on where the one
/// before ended, so its lines come from memory. The first loads only bring back the page tables:
/// emptying the caches by other accesses instead would measure their way from memory too (350 ns
/// instead of 160 on a virtual machine).
Task dram_task(LatencyMemory& memory, std::size_t line) {
    Task task;
    task.name = name_of_latency("DRAM");
    task.measure = [&memory, line, loads = std::int64_t{0}](
                       int visit, std::vector<WindowSample>& samples) mutable {
        const std::byte*& cursor = memory.dram_cursor;
        if (!cursor) cursor = build_chain(memory.dram.data(), memory.dram.size(), line);
        constexpr std::int64_t warm_up = 4096;
        cursor = chase(cursor, warm_up);
        if (loads == 0) loads = calibrate(cursor);
        for (int i = 0; i < windows_per_visit; ++i) take_window(cursor, loads, visit, samples);
    };
    return task;
}

/// Of one hardware thread, nearest first.
std::vector<const Cache*> caches_of(const Topology& topology, int cpu) {
    std::vector<const Cache*> caches;
    for (const int level : topology.cache_levels())
        if (const Cache* cache = topology.cache_of(cpu, level)) caches.push_back(cache);
    return caches;
}

double last_level_bytes(const Topology& topology, int cpu) {
    const auto levels = topology.cache_levels();
    const Cache* last = levels.empty() ? nullptr : topology.cache_of(cpu, levels.back());
    return last ? last->size.value() : 0;
}

}  // namespace

Bytes latency_size(const Topology& topology, int cpu, int level) {
    const auto caches = caches_of(topology, cpu);
    for (std::size_t i = 0; i < caches.size(); ++i) {
        if (caches[i]->level != level) continue;
        const Bytes half = 0.5 * caches[i]->size;
        const bool between = i > 0 && i + 1 < caches.size();
        return between ? std::min(half, 4 * caches[i - 1]->size) : half;
    }
    return Bytes(0);
}

bool goes_round(double lines, Seconds latency) {
    return latency.value() * lines < window_s;
}

std::vector<Bytes> sweep_sizes(const Topology& topology, int cpu) {
    const auto caches = caches_of(topology, cpu);
    std::vector<Bytes> sizes;
    if (caches.empty()) return sizes;
    for (std::size_t i = 0; i + 1 < caches.size(); ++i)
        sizes.push_back(latency_size(topology, cpu, caches[i]->level));

    const double last = caches.back()->size.value();
    const double before = caches.size() > 1 ? caches[caches.size() - 2]->size.value() : 0;
    double size = before > 0 ? 2 * before : 0.5 * last;
    while (size <= 2.01 * last) {
        sizes.emplace_back(std::floor(size / 4096) * 4096);
        size *= size < 0.124 * last ? 2 : std::sqrt(2.0);
    }
    return sizes;
}

Bytes dram_chain_size(const Topology& topology, int cpu) {
    constexpr double without_known_cache = 256.0 * 1024 * 1024;
    const double last = last_level_bytes(topology, cpu);
    return Bytes(last > 0 ? 4 * last : without_known_cache);
}

std::vector<LatencyItem> add_latency_tasks(LatencyMemory& memory, const Topology& topology, int cpu,
                                           Isa isa, std::vector<Task>& tasks) {
    std::vector<LatencyItem> items;
    const std::size_t line = line_of(topology, cpu);
    const MemoryLoop read = reader(isa);
    for (const Bytes size : sweep_sizes(topology, cpu)) {
        const auto bytes = static_cast<std::size_t>(size.value());
        if (bytes > memory.sweep.size()) continue;
        items.push_back({size, false, tasks.size()});
        tasks.push_back(sweep_task(memory, bytes, line, read));
    }
    if (memory.dram.size() > 0) {
        items.push_back({Bytes(static_cast<double>(memory.dram.size())), true, tasks.size()});
        tasks.push_back(dram_task(memory, line));
    }
    return items;
}

Seconds without_inner_hits(LatencyPoint point, Bytes inner, Seconds inner_latency) {
    const double hits = std::min(1.0, inner / point.size);
    if (hits > 0.9) return point.latency;
    const Seconds own((point.latency.value() - hits * inner_latency.value()) / (1 - hits));
    // Less than the level before takes: the two were not measured under the same conditions.
    return own < inner_latency ? point.latency : own;
}

std::optional<Bytes> effective_capacity(std::span<const LatencyPoint> points, Seconds cache,
                                        Seconds memory) {
    std::vector<double> estimates;
    for (const LatencyPoint& point : points) {
        const double missing = (point.latency - cache) / (memory - cache);
        if (missing >= 0.15 && missing <= 0.85)
            estimates.push_back(point.size.value() * (1 - missing));
    }
    if (estimates.empty()) return std::nullopt;
    return Bytes(median(estimates));
}

}  // namespace ridge::probe
