#include "model/cachesim/hierarchy.hpp"

#include <algorithm>
#include <bit>

#include "model/cachesim/level_setup.hpp"

namespace ridge::cachesim {
namespace {

std::size_t instances_of(const CacheSpec& spec, int threads) {
    return static_cast<std::size_t>((threads + spec.shared_by - 1) / spec.shared_by);
}

Sectoring sectoring_of(const HierarchySpec& spec) {
    int granule = spec.levels.front().line_bytes;
    for (const CacheSpec& level : spec.levels)
        if (level.sector_bytes > 0) granule = std::min(granule, level.sector_bytes);
    const int granules = spec.levels.front().line_bytes / granule;
    return {granule, static_cast<SectorMask>((1u << granules) - 1),
            static_cast<std::uint64_t>(spec.levels.front().line_bytes)};
}

/// Whether requests of level i must be answered at once.
bool coupled(const HierarchySpec& spec, std::size_t i) {
    if (i + 1 < spec.levels.size() && spec.levels[i + 1].inclusion == Inclusion::exclusive)
        return true;
    return std::any_of(
        spec.levels.begin() + static_cast<std::ptrdiff_t>(i) + 1, spec.levels.end(),
        [](const CacheSpec& outer) { return outer.inclusion == Inclusion::inclusive; });
}

void add(Counts& sum, const Counts& one) {
    sum.loads += one.loads;
    sum.stores += one.stores;
    sum.fetches += one.fetches;
    sum.load_misses += one.load_misses;
    sum.store_misses += one.store_misses;
    sum.fetch_misses += one.fetch_misses;
    sum.prefetches += one.prefetches;
    sum.prefetch_misses += one.prefetch_misses;
    sum.write_backs_in += one.write_backs_in;
    sum.forwarded_stores += one.forwarded_stores;
    sum.fills += one.fills;
    sum.insertions += one.insertions;
    sum.evictions += one.evictions;
    sum.write_backs += one.write_backs;
    sum.invalidations += one.invalidations;
    sum.evaded += one.evaded;
    sum.read_bytes += one.read_bytes;
    sum.written_bytes += one.written_bytes;
    sum.supplied_bytes += one.supplied_bytes;
    sum.received_bytes += one.received_bytes;
}

}  // namespace

std::uint64_t sets_of(const CacheSpec& spec) {
    return spec.capacity_bytes /
           (static_cast<std::uint64_t>(spec.line_bytes) * static_cast<std::uint64_t>(spec.ways));
}

std::uint64_t group_count(const HierarchySpec& spec) {
    std::uint64_t all = 64;
    for (const CacheSpec& level : spec.levels) all |= sets_of(level);
    if (spec.instruction) all |= sets_of(*spec.instruction);
    return all & (~all + 1);  // lowest set bit: the common power of two
}

Hierarchy::Hierarchy(const HierarchySpec& spec, const TraceInfo& info, GroupShare share)
    : spec_(spec),
      regions_(info.regions, spec.levels.front().line_bytes),
      sectoring_(sectoring_of(spec)),
      memory_(std::make_unique<Memory>(sectoring_)) {
    // Lines of a group are numbered anew, so regions are known to the whole hierarchy only.
    const RegionMap* regions = regions_.empty() || share.groups > 1 ? nullptr : &regions_;
    const std::uint64_t granule = share.groups > 1 ? 1 : group_count(spec);
    levels_.resize(spec.levels.size());
    const auto build = [&](const CacheSpec& level, std::size_t depth, std::size_t instance,
                           std::uint64_t seed) {
        LevelSetup setup;
        setup.spec = level;
        setup.sets = sets_of(level) / share.groups;
        setup.granule = granule;
        setup.parameters.ways = level.ways;
        setup.parameters.seed = spec.seed + seed;
        setup.sectoring = sectoring_;
        setup.regions = regions;
        const int first_thread = static_cast<int>(instance) * level.shared_by;
        if (depth < spec.levels.size()) {
            const int sharers = spec.levels[depth].shared_by;
            setup.next = levels_[depth][static_cast<std::size_t>(first_thread / sharers)].get();
            setup.next_exclusive = spec.levels[depth].inclusion == Inclusion::exclusive;
            setup.coupled = coupled(spec, depth - 1);
        } else {
            setup.next = memory_.get();
        }
        return setup;
    };
    // From memory upwards, because each level needs the one below; the levels above an inclusive
    // one are told to it afterwards.
    for (std::size_t depth = spec.levels.size(); depth-- > 0;) {
        const CacheSpec& level = spec.levels[depth];
        for (std::size_t i = 0; i < instances_of(level, spec.threads); ++i) {
            LevelSetup setup = build(level, depth + 1, i, depth * 1000 + i);
            const Policy* policy = find_policy(level.policy, setup.parameters);
            levels_[depth].push_back(policy->make(setup));
        }
    }
    if (spec.instruction) {
        for (std::size_t i = 0; i < instances_of(*spec.instruction, spec.threads); ++i) {
            LevelSetup setup = build(*spec.instruction, 1, i, 900000 + i);
            const Policy* policy = find_policy(spec.instruction->policy, setup.parameters);
            instruction_.push_back(policy->make(setup));
        }
    }
    for (std::size_t depth = 1; depth < levels_.size(); ++depth) {
        if (spec.levels[depth].inclusion != Inclusion::inclusive) continue;
        for (std::size_t upper = 0; upper < depth; ++upper)
            for (std::size_t i = 0; i < levels_[upper].size(); ++i) {
                const int thread = static_cast<int>(i) * spec.levels[upper].shared_by;
                const auto outer = static_cast<std::size_t>(thread / spec.levels[depth].shared_by);
                levels_[depth][outer]->add_inner(levels_[upper][i].get());
            }
        for (std::size_t i = 0; i < instruction_.size(); ++i) {
            const int thread = static_cast<int>(i) * spec.instruction->shared_by;
            const auto outer = static_cast<std::size_t>(thread / spec.levels[depth].shared_by);
            levels_[depth][outer]->add_inner(instruction_[i].get());
        }
    }
    write_combining_.reserve(static_cast<std::size_t>(spec.threads));
    for (int thread = 0; thread < spec.threads; ++thread)
        write_combining_.emplace_back(
            spec.write_combining_buffers, spec.levels.front().line_bytes,
            *levels_[0][static_cast<std::size_t>(thread / spec.levels.front().shared_by)]);
}

/// Splits a chunk into stretches that one first-level cache takes at once.
void Hierarchy::consume(std::span<const LineRun> chunk) {
    for (const LineRun& run : chunk) {
        accesses += std::uint64_t{run.count} * run.repeats;
        touches += run.count;
    }
    std::size_t begin = 0;
    while (begin < chunk.size()) {
        const LineRun& head = chunk[begin];
        const bool plain = head.kind != TouchKind::store_nt &&
                           spec_.convention == Convention::per_line &&
                           write_combining_[head.thread].empty();
        if (!plain) {
            single(head);
            ++begin;
            continue;
        }
        std::size_t end = begin + 1;
        while (end < chunk.size() && chunk[end].thread == head.thread &&
               (chunk[end].kind == TouchKind::fetch) == (head.kind == TouchKind::fetch) &&
               chunk[end].kind != TouchKind::store_nt)
            ++end;
        route(chunk.subspan(begin, end - begin));
        begin = end;
    }
    settle();
}

Cache& Hierarchy::first_level(const LineRun& run) {
    if (run.kind == TouchKind::fetch)
        return *instruction_[static_cast<std::size_t>(run.thread / spec_.instruction->shared_by)];
    return *levels_[0][static_cast<std::size_t>(run.thread / spec_.levels[0].shared_by)];
}

void Hierarchy::route(std::span<const LineRun> runs) {
    if (runs.front().kind == TouchKind::fetch && instruction_.empty()) {
        for (const LineRun& run : runs) ignored_fetches += std::uint64_t{run.count} * run.repeats;
        return;
    }
    Cache& first = first_level(runs.front());
    first.touch(runs);
    // Instruction and data caches share the next level: their requests keep the program's order.
    if (!instruction_.empty()) first.flush();
}

void Hierarchy::single(const LineRun& run) {
    if (run.kind == TouchKind::store_nt) {
        write_combining_[run.thread].store(run);
        return;
    }
    if (spec_.convention == Convention::cachegrind) {
        LineRun one = run;
        const int line_bytes = spec_.levels.front().line_bytes;
        if (one.kind == TouchKind::modify) one.kind = TouchKind::load;
        // Cachegrind takes the saving of a register file for an access of one line's length.
        one.bytes = static_cast<std::uint16_t>(std::min<int>(one.bytes, line_bytes));
        if (one.offset + one.bytes > line_bytes)
            cachegrind_straddle(one);
        else
            route({&one, 1});
        return;
    }
    write_combining_[run.thread].give_way(run);
    route({&run, 1});
}

/// An access that straddles two lines is one access, a miss when either line misses, and then
/// refers to both lines in the next level.
void Hierarchy::cachegrind_straddle(const LineRun& run) {
    settle();
    for (std::uint32_t i = 0; i < run.count; ++i) {
        const std::uint64_t line =
            run.line + static_cast<std::uint64_t>(static_cast<std::int64_t>(run.stride) * i);
        bool missed = true;
        for (int depth = -1; depth < levels() && missed; ++depth) {
            if (depth == 0 && run.kind == TouchKind::fetch) continue;
            if (depth == -1 && (run.kind != TouchKind::fetch || instruction_.empty())) continue;
            Cache& cache =
                depth <= 0 ? first_level(run) : *levels_[static_cast<std::size_t>(depth)][0];
            const bool first = cache.reference(line);
            const bool second = cache.reference(line + 1);
            missed = !first || !second;
            const std::uint64_t repeats = depth <= 0 ? run.repeats : 1;
            Counts& counts = cache.counts;
            (run.kind == TouchKind::fetch   ? counts.fetches
             : run.kind == TouchKind::store ? counts.stores
                                            : counts.loads) += repeats;
            (run.kind == TouchKind::fetch   ? counts.fetch_misses
             : run.kind == TouchKind::store ? counts.store_misses
                                            : counts.load_misses) += missed;
        }
    }
}

void Hierarchy::settle() {
    for (auto& cache : instruction_) cache->flush();
    for (auto& level : levels_)
        for (auto& cache : level) cache->flush();
}

void Hierarchy::finish() {
    for (auto& buffer : write_combining_) buffer.drain();
    settle();
}

void Hierarchy::clear_counts() {
    const auto clear = [](std::vector<std::unique_ptr<Cache>>& level) {
        for (auto& cache : level) {
            cache->counts = {};
            std::fill(cache->region_bytes.begin(), cache->region_bytes.end(), RegionBytes{});
        }
    };
    clear(instruction_);
    for (auto& level : levels_) clear(level);
    memory_->clear_counts();
    accesses = touches = ignored_fetches = 0;
}

const std::vector<std::unique_ptr<Cache>>& Hierarchy::instances(int level) const {
    return level < 0 ? instruction_ : levels_[static_cast<std::size_t>(level)];
}

Counts Hierarchy::counts(int level) const {
    Counts sum;
    for (const auto& cache : instances(level)) add(sum, cache->counts);
    return sum;
}

std::vector<RegionBytes> Hierarchy::region_bytes(int level) const {
    std::vector<RegionBytes> sum;
    for (const auto& cache : instances(level)) {
        sum.resize(cache->region_bytes.size());
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i].read += cache->region_bytes[i].read;
            sum[i].written += cache->region_bytes[i].written;
        }
    }
    return sum;
}

std::uint64_t Hierarchy::dirty_bytes(int level) const {
    std::uint64_t bytes = 0;
    for (const auto& cache : instances(level)) bytes += cache->dirty_bytes();
    return bytes;
}

std::size_t Hierarchy::host_bytes() const {
    std::size_t bytes = sizeof(*this);
    for (int level = -1; level < levels(); ++level)
        for (const auto& cache : instances(level)) bytes += cache->host_bytes();
    return bytes;
}

}  // namespace ridge::cachesim
