// From the windows of a probe to its machine.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <limits>

#include "collectors/probe/figure.hpp"
#include "collectors/probe/names.hpp"
#include "collectors/probe/sanity.hpp"
#include "collectors/probe/session.hpp"
#include "collectors/probe/unusable.hpp"
#include "ridge/format.hpp"

namespace ridge::probe {
namespace {

/// "AMD EPYC 9654 96-Core Processor" becomes "amd-epyc-9654-96-core-processor".
std::string slug(const std::string& brand) {
    std::string name;
    for (const char c : brand) {
        const bool keep = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (keep)
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name.empty() ? "unknown-cpu" : name;
}

std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Figure given(double value, const char* note) {
    return {value, Source::given, -1, note};
}

}  // namespace

std::vector<LatencyPoint> Session::latency_points() const {
    std::vector<LatencyPoint> points;
    for (const LatencyItem& item : latencies_) {
        if (item.memory) continue;
        if (const auto cluster = top_cluster(tasks_[item.task].samples))
            points.push_back({item.size, Seconds(1 / cluster->rate)});
    }
    return points;
}

std::optional<LatencyPoint> Session::point_near(Bytes size) const {
    std::optional<LatencyPoint> nearest;
    double least = std::numeric_limits<double>::infinity();
    for (const LatencyPoint& point : latency_points()) {
        const double distance = std::abs(std::log(point.size / size));
        if (distance < least) {
            least = distance;
            nearest = point;
        }
    }
    return nearest;
}

std::optional<Seconds> Session::dram_latency() const {
    for (const LatencyItem& item : latencies_)
        if (item.memory)
            if (const auto cluster = top_cluster(tasks_[item.task].samples))
                return Seconds(1 / cluster->rate);
    return std::nullopt;
}

/// Measured near `size`, without the loads that the level before served.
std::optional<LatencyPoint> Session::cache_latency(int level, Bytes size) const {
    const auto levels = topology_.cache_levels();
    const auto at = std::find(levels.begin(), levels.end(), level);
    auto point = point_near(size);
    if (!point || at == levels.begin()) return point;
    const Cache* before = topology_.cache_of(cpus_.front(), *(at - 1));
    if (!before) return point;
    const auto inner = point_near(latency_size(topology_, cpus_.front(), before->level));
    const double lines = point->size.value() / std::max(1, before->line_bytes);
    if (inner && !goes_round(lines, point->latency))
        point->latency = without_inner_hits(*point, before->size, inner->latency);
    return point;
}

Bytes Session::effective_last_level() const {
    const auto levels = topology_.cache_levels();
    const auto memory = dram_latency();
    if (levels.empty() || !memory) return Bytes(0);
    const Cache* last = topology_.cache_of(cpus_.front(), levels.back());
    // Reported capacity first; where that turns out to be too much, the latency of the cache is
    // taken again at half of what there is.
    Bytes capacity = last->size;
    for (int i = 0; i < 3; ++i) {
        const auto cache = cache_latency(levels.back(), 0.5 * capacity);
        if (!cache) return Bytes(0);
        const auto found = effective_capacity(latency_points(), cache->latency, *memory);
        if (!found) break;
        capacity = std::min(*found, last->size);
    }
    // Hashing and the stack make every cache look somewhat smaller than it is.
    constexpr double as_reported = 0.85;
    return capacity > as_reported * last->size ? Bytes(0) : capacity;
}

MemoryLevel Session::cache_level(int level) const {
    const Cache& cache = *topology_.cache_of(cpus_.front(), level);
    MemoryLevel result;
    result.name = "L" + std::to_string(level);
    result.capacity_bytes = given(cache.size.value(), "reported by the processor (hwloc)");
    result.line_bytes = cache.line_bytes > 0 ? cache.line_bytes : 64;
    const double way_bytes = static_cast<double>(cache.ways) * result.line_bytes;
    // A hypervisor may report a capacity that its ways do not divide; then they are unknown.
    if (cache.ways > 0 && std::fmod(cache.size.value(), way_bytes) == 0) result.ways = cache.ways;
    result.shared_by = static_cast<int>(cache.cpus.size());
    Bytes size = latency_size(topology_, cpus_.front(), level);
    if (level == topology_.cache_levels().back()) {
        const Bytes effective = effective_last_level();
        if (effective.value() > 0) {
            size = 0.5 * effective;
            result.effective_capacity_bytes =
                Figure{effective.value(), Source::measured, -1,
                       "where loads in random order begin to miss; the rest is not ours or not "
                       "there"};
        }
    }
    if (const auto point = cache_latency(level, size))
        result.latency_s = Figure{point->latency.value(), Source::measured, -1,
                                  "dependent loads in random order in " + format_iec(point->size)};
    return result;
}

MemoryLevel Session::dram_level() const {
    MemoryLevel result;
    result.name = "DRAM";
    if (topology_.memory.value() > 0)
        result.capacity_bytes = given(topology_.memory.value(), "as the kernel sees it");
    result.shared_by = topology_.hardware_threads();
    for (const LatencyItem& item : latencies_)
        if (item.memory)
            if (const auto cluster = top_cluster(tasks_[item.task].samples)) {
                Figure figure =
                    figure_of(*cluster, 1 / cluster->rate, tasks_[item.task].samples.size());
                figure.note = fmt::format("dependent loads in random order in {}; {}",
                                          format_iec(item.size), figure.note);
                result.latency_s = figure;
            }
    return result;
}

void Session::fill_bandwidths(MemoryLevel& memory, int level, ProbeResult& result) const {
    for (const BandwidthItem& item : bandwidths_) {
        if (item.level != level) continue;
        auto bandwidth = bandwidth_of(item, tasks_[item.task]);
        if (!bandwidth) {
            result.not_measured.push_back(fmt::format("{} {}, {} threads: no time was left",
                                                      memory.name, to_string(item.kind),
                                                      item.threads));
            continue;
        }
        std::string& note = bandwidth->bytes_per_s.note;
        for (const LevelBuffers& buffers : buffers_)
            if (buffers.level == level && buffers.threads == item.threads)
                note = fmt::format("{} per thread; {}", format_iec(buffers.per_thread), note);
        if (item.non_temporal && level != 0) note += "; the stores go past the cache to memory";
        memory.bandwidths.push_back(*bandwidth);
    }
}

void Session::fill_compute(ProbeResult& result) const {
    const auto fastest = std::count_if(topology_.cores.begin(), topology_.cores.end(),
                                       [](const Core& core) { return core.kind == 0; });
    for (const ComputeItem& item : computes_) {
        std::string finding;
        // The table knows the fastest kind of core.
        const bool known = item.threads <= fastest;
        auto ceiling = ceiling_of(item, tasks_[item.task], known ? core_ : std::nullopt, finding);
        if (!ceiling) {
            result.not_measured.push_back(
                fmt::format("{}, {} threads: no window had all threads running",
                            tasks_[item.task].name, item.threads));
            continue;
        }
        if (!finding.empty()) result.suspicious.push_back(name_of(*ceiling) + ": " + finding);
        result.machine.compute.push_back(*ceiling);
    }
}

void Session::fill_overheads(ProbeResult& result) const {
    for (const OverheadItem& item : overheads_) {
        const Task& task = tasks_[item.task];
        const auto cluster = top_cluster(task.samples);
        if (!cluster) {
            result.not_measured.push_back(task.name + ": no time was left");
            continue;
        }
        const Figure figure = figure_of(*cluster, 1 / cluster->rate, task.samples.size());
        Overheads& overheads = result.machine.overheads;
        switch (item.cost) {
            case Cost::parallel_region:
                overheads.parallel_region_s[item.threads] = figure;
                break;
            case Cost::empty_primitive:
                overheads.empty_primitive_s = figure;
                break;
            case Cost::sse_transition:
                overheads.sse_transition_s = figure;
                break;
        }
    }
}

void Session::describe(Machine& machine) const {
    machine.name = slug(cpu_.brand);
    machine.cpu_model = cpu_.brand;
    machine.vendor = cpu_.vendor;
    machine.sockets = topology_.sockets;
    machine.cores = static_cast<int>(topology_.cores.size());
    machine.threads = topology_.hardware_threads();
    machine.virtualised = cpu_.hypervisor;
    machine.isa_flags = cpu_.flags();
    machine.probed_at = utc_now();

    std::string& text = machine.description;
    text = fmt::format("{}{}, {} core{}{}", cpu_.brand, core_ ? " (" + core_->name + ")" : "",
                       machine.cores, machine.cores == 1 ? "" : "s",
                       machine.virtualised ? ", virtual machine" : "");
    if (topology_.core_kinds > 1)
        text += fmt::format(", {} kinds of cores (fastest first)", topology_.core_kinds);

    const double huge = arenas_.front().huge_page_share();
    text += huge < 0 ? "; page size unknown"
                     : fmt::format("; {:.0f} % of the buffers in huge pages", 100 * huge);
    if (huge >= 0 && huge < 0.9) text += " (address translation is part of the memory figures)";
}

ProbeResult Session::build() const {
    ProbeResult result;
    result.not_measured = not_measured_;
    describe(result.machine);
    fill_compute(result);
    for (const int level : topology_.cache_levels()) {
        if (!topology_.cache_of(cpus_.front(), level)) continue;
        result.machine.levels.push_back(cache_level(level));
        fill_bandwidths(result.machine.levels.back(), level, result);
    }
    result.machine.levels.push_back(dram_level());
    fill_bandwidths(result.machine.levels.back(), 0, result);
    fill_overheads(result);
    result.quiet = quiet_.history();
    result.quiet.cpu_model = cpu_.brand;
    result.machine.quiet = quiet_.levels();
    return result;
}

/// Nodes of the pages and of the threads that work on them (one thread that touches everything
/// first puts all pages on its own).
std::string Session::placement_warning() const {
    std::vector<int> page_nodes, thread_nodes;
    for (const Arena& arena : arenas_)
        for (const int node : arena.page_nodes()) page_nodes.push_back(node);
    for (const int cpu : cpus_)
        for (const Core& core : topology_.cores)
            if (std::find(core.cpus.begin(), core.cpus.end(), cpu) != core.cpus.end())
                thread_nodes.push_back(core.numa_node);
    return first_touch_warning(page_nodes, thread_nodes);
}

/// The first thread never sleeps while it measures; what it did not get, others had.
std::string Session::load_warning() const {
    if (cpu_begin_s_ < 0) return {};
    const double got = (thread_cpu_s() - cpu_begin_s_) / (now_s() - begin_s_);
    if (got > 0.9) return {};
    return fmt::format(
        "other processes had {} of the time of the first core: probe again when the "
        "machine is idle",
        format_percent(1 - got));
}

ProbeResult Session::result() {
    ProbeResult result = build();
    if (const auto warning = placement_warning(); !warning.empty())
        result.suspicious.push_back("bandwidth: " + warning);
    if (const auto warning = load_warning(); !warning.empty()) result.suspicious.push_back(warning);
    drop_unusable(result);
    for (const Suspicion& suspicion : check_figures(result.machine))
        result.suspicious.push_back(suspicion.figure + ": " + suspicion.what);
    result.took_s = now_s() - begin_s_;
    return result;
}

ProbeResult probe_machine(const ProbeOptions& options, const ProbeHooks& hooks) {
    Session session(options, hooks);
    session.measure();
    return session.result();
}

}  // namespace ridge::probe
