// The memory simulator: any number of cache levels fed with runs of lines (trace.hpp), answering
// with bytes per level (traffic.hpp). See docs/model.md, "Memory simulator".
//
//   HierarchySpec spec = hierarchy_of(load_machine("..."), 1);
//   Traffic t = simulate(*source, spec, {.method = TrafficMethod::exact});
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/layer.hpp"
#include "ridge/machine.hpp"
#include "ridge/trace.hpp"
#include "ridge/traffic.hpp"

namespace ridge {

/// How a level relates to the levels above it. non_inclusive: neither copies nor victims are
/// forced. inclusive: holds every line above it; evicting one drops it above (back-invalidation).
/// exclusive: holds only what the level above evicted (a victim cache); a hit moves the line up.
enum class Inclusion { non_inclusive, inclusive, exclusive };
[[nodiscard]] std::string_view to_string(Inclusion inclusion);
[[nodiscard]] std::optional<Inclusion> inclusion_from_string(std::string_view word);

/// untracked: a store is counted as one and otherwise treated like a load (Cachegrind).
enum class WritePolicy { write_back, write_through, untracked };
[[nodiscard]] std::string_view to_string(WritePolicy policy);
[[nodiscard]] std::optional<WritePolicy> write_policy_from_string(std::string_view word);

enum class Prefetcher { none, next_line, stream };
[[nodiscard]] std::string_view to_string(Prefetcher prefetcher);
[[nodiscard]] std::optional<Prefetcher> prefetcher_from_string(std::string_view word);

/// One cache level.
struct CacheSpec {
    std::string name = "L1";
    std::uint64_t capacity_bytes = 32768;  ///< of one instance
    int line_bytes = 64;
    int ways = 8;
    int shared_by = 1;  ///< threads that share one instance
    /// lru, tree_plru, srrip, random, or qlru_h00_m1_r0_u1 and its relatives (policies()).
    std::string policy = "lru";
    Inclusion inclusion = Inclusion::non_inclusive;  ///< towards the level above
    bool hashed = false;                             ///< set index mixes the upper address bits
    WritePolicy write_policy = WritePolicy::write_back;
    bool write_allocate = true;
    /// Share of full-line store misses of this level whose line is not read from below.
    double write_allocate_evasion = 0;
    int sector_bytes = 0;  ///< 0: whole lines are transferred
    Prefetcher prefetcher = Prefetcher::none;
};

/// per_line: an access that straddles lines touches each. cachegrind: it counts once and missing
/// in one line refers to both lines in the next level.
enum class Convention { per_line, cachegrind };

struct HierarchySpec {
    std::string name;
    std::vector<CacheSpec> levels;         ///< data caches, nearest first; at least one
    std::optional<CacheSpec> instruction;  ///< first-level instruction cache; without it
                                           ///< instruction fetches are counted and ignored
    int threads = 1;
    int write_combining_buffers = 10;  ///< per thread, for non-temporal stores
    Convention convention = Convention::per_line;
    std::string memory_name = "DRAM";
    std::uint64_t seed = 1;          ///< of random replacement
    std::vector<std::string> notes;  ///< what had to be assumed
};

/// The caches of a machine file for `threads` threads of it. Throws Error bad_input when a level
/// lacks its capacity or has an impossible geometry.
[[nodiscard]] HierarchySpec hierarchy_of(const Machine& machine, int threads);

/// Throws Error bad_input for the first thing that cannot be: sets that are not whole, unknown
/// policies, an inclusive level smaller than the one above it...
void check(const HierarchySpec& spec);

/// Whether the sampled mode can split these caches into groups of lines that never meet.
[[nodiscard]] bool can_sample(const HierarchySpec& spec);

/// Names of the replacement policies with one line each.
struct PolicyEntry {
    std::string name, description;
};
[[nodiscard]] std::vector<PolicyEntry> policies();

struct SimulateOptions {
    TrafficMethod method = TrafficMethod::exact;
    /// cold: empty caches. warm: the stream once before, uncounted. in_step: what the stream reads
    /// first was just written by the layer before (needs regions).
    CacheState protocol = CacheState::cold;
    std::uint64_t seed = 1;   ///< of the choice of groups (sampled)
    int sampled_groups = 16;  ///< of at most 64
    double tolerance = 1e-3;  ///< periodic: largest relative change that counts as steady
};

/// Not for `analytic`, which needs a loop nest and not a stream (analyse_nest).
/// Throws Error bad_input for a stream that the hierarchy cannot take (line size, threads) or a
/// method that it does not allow.
[[nodiscard]] Traffic simulate(RunSource& source, const HierarchySpec& spec,
                               const SimulateOptions& options = {});

/// For programs that simulate many streams: caches of megabytes come and go, and an allocator that
/// gives them back to the system makes it clear their pages again each time. Process-wide: for
/// main.
void keep_freed_memory();

/// Misses of a fully associative LRU cache of a capacity.
struct MissRatioPoint {
    std::uint64_t capacity_bytes = 0;
    double misses = 0;
    double ratio = 0;  ///< misses / accesses, both as LevelCounts counts them
};

/// Takes a stream and finds the misses for all capacities at once: load, store and modify touches
/// of all threads, in stream order. Memory is bounded by the largest capacity.
class MissRatioCurve final : public RunSink {
public:
    /// Throws Error bad_input unless the capacities ascend from one line on.
    MissRatioCurve(int line_bytes, std::vector<std::uint64_t> capacities_bytes);
    ~MissRatioCurve() override;
    MissRatioCurve(const MissRatioCurve&) = delete;
    MissRatioCurve& operator=(const MissRatioCurve&) = delete;
    void consume(std::span<const LineRun> chunk) override;
    [[nodiscard]] std::vector<MissRatioPoint> points() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};
[[nodiscard]] std::vector<MissRatioPoint> miss_ratio_curve(
    RunSource& source, const std::vector<std::uint64_t>& capacities_bytes);

}  // namespace ridge
