// Plain levels have loops of their own. They must count as the general ones do, which the plain
// reference confirms: with regions, repeats, straddling and non-temporal stores, for every width
// that is compiled in.
#include <doctest/doctest.h>

#include <random>

#include "model/cachesim/hierarchy.hpp"
#include "ridge/cachesim.hpp"
#include "tests/cachesim/support.hpp"

namespace ridge::test {
namespace {

constexpr std::uint64_t first_line = (std::uint64_t{1} << 41) - 300;

TraceInfo regions() {
    TraceInfo info;
    info.regions = {{"b", 64 * (first_line + 900), 64 * 300},
                    {"a", 64 * first_line + 32, 64 * 500},
                    {"behind a", 64 * (first_line + 501), 64 * 100}};
    return info;
}

/// Short and long runs of every kind over 1,400 lines, some of them far apart.
std::vector<LineRun> mixed_runs() {
    std::mt19937_64 random(11);
    std::vector<LineRun> runs;
    for (int i = 0; i < 300'000; ++i) {
        const std::uint64_t draw = random();
        constexpr TouchKind kinds[] = {TouchKind::load,   TouchKind::load,     TouchKind::store,
                                       TouchKind::modify, TouchKind::prefetch, TouchKind::store};
        LineRun run;
        run.line = first_line + draw % 1400 + (draw >> 12) % 2 * (std::uint64_t{1} << 18);
        run.count = static_cast<std::uint32_t>(1 + (draw >> 16) % 8);
        run.stride = static_cast<std::int32_t>((draw >> 20) % 7) - 3;
        run.repeats = static_cast<std::uint16_t>(1 + (draw >> 24) % 5);
        run.offset = static_cast<std::uint16_t>((draw >> 28) % 64);
        run.bytes = static_cast<std::uint16_t>(1 + (draw >> 36) % 64);
        run.kind = (draw >> 44) % 64 == 0 ? TouchKind::store_nt : kinds[(draw >> 50) % 6];
        runs.push_back(run);
    }
    return runs;
}

std::vector<std::uint64_t> counts_of(const HierarchySpec& spec, const std::vector<LineRun>& runs) {
    check(spec);
    cachesim::Hierarchy caches(spec, regions());
    for (std::size_t i = 0; i < runs.size(); i += 1000)
        caches.consume(std::span(runs).subspan(i, 1000));
    caches.finish();
    std::vector<std::uint64_t> all;
    for (int level = 0; level < caches.levels(); ++level) {
        const cachesim::Counts c = caches.counts(level);
        all.insert(all.end(), {c.loads, c.stores, c.load_misses, c.store_misses, c.prefetches,
                               c.prefetch_misses, c.write_backs_in, c.forwarded_stores, c.fills,
                               c.insertions, c.evictions, c.write_backs, c.invalidations, c.evaded,
                               c.read_bytes, c.written_bytes, c.supplied_bytes, c.received_bytes,
                               caches.dirty_bytes(level)});
        for (const auto& region : caches.region_bytes(level)) {
            all.push_back(region.read);
            all.push_back(region.written);
        }
    }
    const auto& memory = caches.memory();
    all.insert(all.end(), {memory.read_bytes, memory.written_bytes, memory.non_temporal_bytes,
                           memory.partial_line_bytes});
    return all;
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("plain levels count as general ones do, regions included") {
        const std::vector<LineRun> runs = mixed_runs();
        for (const char* policy : {"lru", "tree_plru", "qlru_h11_m1_r1_u2", "srrip", "random"})
            for (const bool hashed : {false, true})
                for (const int ways : {4, 8, 12, 16}) {
                    if (ways == 12 && std::string(policy) == "tree_plru") continue;
                    const auto bytes = static_cast<std::uint64_t>(64 * ways);
                    HierarchySpec plain =
                        hierarchy({cache("L1", 8 * bytes, ways), cache("L2", 24 * bytes, ways),
                                   cache("L3", 48 * bytes, ways)});
                    for (CacheSpec& level : plain.levels) {
                        level.policy = policy;
                        level.hashed = hashed;
                    }
                    HierarchySpec general = plain;
                    // A share of stores that never adds up to one, but asks for the general loops.
                    for (CacheSpec& level : general.levels) level.write_allocate_evasion = 1e-300;
                    CAPTURE(policy);
                    CAPTURE(ways);
                    CAPTURE(hashed);
                    CHECK(counts_of(plain, runs) == counts_of(general, runs));
                }
    }
}

}  // namespace ridge::test
