// The caches of a machine, wired: takes runs, keeps counts.
#pragma once

#include <memory>
#include <vector>

#include "model/cachesim/level.hpp"
#include "model/cachesim/memory.hpp"
#include "model/cachesim/write_combining.hpp"
#include "ridge/cachesim.hpp"

namespace ridge::cachesim {

/// Group sampling simulates the lines of one group as a hierarchy of its own: the same levels with
/// 1/groups of the sets, fed with line numbers divided by the number of groups.
struct GroupShare {
    std::uint64_t groups = 1;
};

/// Of one instance.
[[nodiscard]] std::uint64_t sets_of(const CacheSpec& spec);

/// Largest power of two, at most 64, that divides the number of sets of every level: how many
/// groups of lines there are that never meet in any level.
[[nodiscard]] std::uint64_t group_count(const HierarchySpec& spec);

class Hierarchy final : public RunSink {
public:
    /// `spec` has passed check(). `info` gives regions and line size.
    Hierarchy(const HierarchySpec& spec, const TraceInfo& info, GroupShare share = {});
    Hierarchy(const Hierarchy&) = delete;
    Hierarchy& operator=(const Hierarchy&) = delete;

    void consume(std::span<const LineRun> chunk) override;
    /// Sends on what waits in buffers between levels (not the write-combining entries).
    void settle();
    /// End of the stream: write-combining buffers drain.
    void finish();
    void clear_counts();

    /// Sum over the instances of a level; -1 is the instruction cache.
    [[nodiscard]] Counts counts(int level) const;
    [[nodiscard]] std::vector<RegionBytes> region_bytes(int level) const;
    [[nodiscard]] std::uint64_t dirty_bytes(int level) const;
    [[nodiscard]] const Memory& memory() const { return *memory_; }
    [[nodiscard]] bool has_instruction_cache() const { return !instruction_.empty(); }
    [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
    [[nodiscard]] const std::vector<std::unique_ptr<Cache>>& instances(int level) const;
    [[nodiscard]] std::size_t host_bytes() const;

    std::uint64_t accesses = 0;         ///< of the program, fetches included
    std::uint64_t touches = 0;          ///< line touches of runs
    std::uint64_t ignored_fetches = 0;  ///< no instruction cache

private:
    void route(std::span<const LineRun> runs);
    void single(const LineRun& run);
    void cachegrind_straddle(const LineRun& run);
    [[nodiscard]] Cache& first_level(const LineRun& run);

    HierarchySpec spec_;
    RegionMap regions_;
    Sectoring sectoring_;
    std::unique_ptr<Memory> memory_;
    std::vector<std::vector<std::unique_ptr<Cache>>> levels_;  ///< [level][instance]
    std::vector<std::unique_ptr<Cache>> instruction_;
    std::vector<WriteCombining> write_combining_;  ///< per thread
};

}  // namespace ridge::cachesim
