// Small hierarchies and one-line simulations for the tests of the simulator.
#pragma once

#include <string>

#include "ridge/cachesim.hpp"
#include "ridge/loop_nest.hpp"

namespace ridge::test {

inline CacheSpec cache(const std::string& name, std::uint64_t bytes, int ways,
                       Inclusion inclusion = Inclusion::non_inclusive) {
    CacheSpec level;
    level.name = name;
    level.capacity_bytes = bytes;
    level.ways = ways;
    level.inclusion = inclusion;
    return level;
}

inline HierarchySpec hierarchy(std::vector<CacheSpec> levels) {
    HierarchySpec spec;
    spec.name = "test";
    spec.levels = std::move(levels);
    return spec;
}

/// 4 KiB, 32 KiB and 256 KiB: steady states come soon.
inline HierarchySpec small_machine() {
    return hierarchy({cache("L1", 4096, 4), cache("L2", 32768, 8), cache("L3", 262144, 16)});
}

inline Traffic run(const std::string& generator, const HierarchySpec& spec,
                   const SimulateOptions& options = {}) {
    const auto source =
        make_source(*generator_nest(generator), spec.levels.front().line_bytes, spec.threads);
    return simulate(*source, spec, options);
}

/// A source of runs that are given.
class GivenRuns final : public RunSource {
public:
    explicit GivenRuns(std::vector<LineRun> runs, TraceInfo info = {})
        : runs_(std::move(runs)), info_(std::move(info)) {}
    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    void replay(RunSink& sink) override { sink.consume(runs_); }

private:
    std::vector<LineRun> runs_;
    TraceInfo info_;
};

/// Collects what a source gives.
class Collected final : public RunSink {
public:
    void consume(std::span<const LineRun> chunk) override {
        runs.insert(runs.end(), chunk.begin(), chunk.end());
    }
    std::vector<LineRun> runs;
};

}  // namespace ridge::test
