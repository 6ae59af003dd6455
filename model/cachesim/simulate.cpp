#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <set>

#include "model/cachesim/modes.hpp"
#include "model/cachesim/result.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace cachesim {
namespace {

/// Which regions a stream reads before it writes them: what the layer before left in the caches.
class InputRegions final : public RunSink {
public:
    explicit InputRegions(const TraceInfo& info) : map_(info.regions, info.line_bytes) {}
    void consume(std::span<const LineRun> chunk) override {
        for (const LineRun& run : chunk) {
            const std::size_t region = map_.find(run.line);
            if (region + 1 >= map_.size()) continue;
            if (run.kind == TouchKind::load && !written_.contains(region)) read_.insert(region);
            if (run.kind != TouchKind::load && !read_.contains(region)) written_.insert(region);
        }
    }
    [[nodiscard]] const std::set<std::size_t>& first_read() const { return read_; }

private:
    RegionMap map_;
    std::set<std::size_t> read_, written_;
};

/// Four times what all caches hold together.
std::uint64_t lasting_lines(const HierarchySpec& spec) {
    std::uint64_t bytes = 0;
    for (const CacheSpec& level : spec.levels) {
        const int instances = (spec.threads + level.shared_by - 1) / level.shared_by;
        bytes += level.capacity_bytes * static_cast<std::uint64_t>(instances);
    }
    return 4 * bytes / static_cast<std::uint64_t>(spec.levels.front().line_bytes);
}

}  // namespace

void prepare(RunSource& source, RunSink& sink, CacheState protocol, const HierarchySpec& spec) {
    if (protocol == CacheState::cold) return;
    if (protocol == CacheState::warm) {
        source.replay(sink);
        return;
    }
    const TraceInfo& info = source.info();
    if (info.regions.empty())
        throw bad_input("--protocol", "cold or warm for a stream without known tensors", "in_step");
    InputRegions inputs(info);
    // Whether a tensor is read or written first shows in the first iterations of a loop.
    if (const auto loop = source.outer_loop(); loop && loop->uniform >= loop->step)
        source.replay_part(inputs, 0, loop->step);
    else
        source.replay(inputs);
    for (const std::size_t region : inputs.first_read()) {
        const auto line_bytes = static_cast<std::uint64_t>(info.line_bytes);
        std::uint64_t line = info.regions[region].address / line_bytes;
        std::uint64_t rest =
            (info.regions[region].address + info.regions[region].bytes - 1) / line_bytes - line + 1;
        // Only the end of a tensor that is many times larger than the caches can still be there.
        const std::uint64_t skipped = rest - std::min(rest, lasting_lines(spec));
        line += skipped;
        rest -= skipped;
        while (rest > 0) {
            const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(rest, 1u << 20));
            const LineRun run{.line = line,
                              .count = count,
                              .bytes = static_cast<std::uint16_t>(info.line_bytes),
                              .kind = TouchKind::store};
            sink.consume({&run, 1});
            line += count;
            rest -= count;
        }
    }
}

Traffic simulate_exact(RunSource& source, const HierarchySpec& spec,
                       const SimulateOptions& options) {
    Hierarchy hierarchy(spec, source.info());
    prepare(source, hierarchy, options.protocol, spec);
    if (options.protocol != CacheState::cold) {
        hierarchy.finish();
        hierarchy.clear_counts();
    }
    source.replay(hierarchy);
    hierarchy.finish();
    Traffic out = result_of(hierarchy, spec, source.info());
    out.method = TrafficMethod::exact;
    return out;
}

namespace {

bool prefetches(const HierarchySpec& spec) {
    return std::any_of(spec.levels.begin(), spec.levels.end(),
                       [](const CacheSpec& level) { return level.prefetcher != Prefetcher::none; });
}

/// Runs without prefetchers give the numbers, runs with them the other end of the band.
void add_prefetcher_band(Traffic& plain, const Traffic& prefetched) {
    for (std::size_t i = 0; i < plain.levels.size(); ++i) {
        const auto band = [](double a, double b) { return Band{std::min(a, b), std::max(a, b)}; };
        LevelTraffic& level = plain.levels[i];
        const LevelCounts& other = prefetched.levels[i].counts;
        level.read_bound = band(level.counts.read_bytes, other.read_bytes);
        level.written_bound = band(level.counts.written_bytes, other.written_bytes);
    }
    plain.bound = "without and with the hardware prefetchers, which are modelled as never late";
}

Traffic dispatch(RunSource& source, const HierarchySpec& spec, const SimulateOptions& options) {
    switch (options.method) {
        case TrafficMethod::exact:
            return simulate_exact(source, spec, options);
        case TrafficMethod::sampled:
            return simulate_sampled(source, spec, options);
        case TrafficMethod::periodic:
            return simulate_periodic(source, spec, options);
        case TrafficMethod::analytic:
            break;
    }
    throw bad_input("--mode", "exact, sampled or periodic for a stream of touches", "analytic");
}

}  // namespace
}  // namespace cachesim

void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that is allowed
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

Traffic simulate(RunSource& source, const HierarchySpec& spec, const SimulateOptions& options) {
    check(spec);
    const TraceInfo& info = source.info();
    const CacheSpec& first = spec.levels.front();
    if (info.line_bytes != first.line_bytes)
        throw bad_input(info.origin,
                        fmt::format("lines of {} bytes as {} has", first.line_bytes, first.name),
                        fmt::format("{} bytes", info.line_bytes));
    if (info.threads > spec.threads)
        throw bad_input(info.origin, fmt::format("at most {} threads", spec.threads),
                        std::to_string(info.threads));

    HierarchySpec plain = spec;
    for (CacheSpec& level : plain.levels) level.prefetcher = Prefetcher::none;
    Traffic out = cachesim::dispatch(source, plain, options);
    if (cachesim::prefetches(spec)) {
        if (options.method == TrafficMethod::exact)
            cachesim::add_prefetcher_band(out, cachesim::dispatch(source, spec, options));
        else
            out.notes.push_back("the prefetchers' band needs the exact mode");
    }
    out.protocol = options.protocol;
    return out;
}

}  // namespace ridge
