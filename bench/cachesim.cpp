// Throughput of the memory simulator and of the trace readers, one core:
//
//   build/release/bench/bench_cachesim
//
// "items" are line touches for streams of runs and accesses for lackey text.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "collectors/import/readers.hpp"
#include "model/cachesim/hierarchy.hpp"
#include "ridge/loop_nest.hpp"

namespace ridge {
namespace {

CacheSpec level(const char* name, std::uint64_t bytes, int ways, const char* policy) {
    CacheSpec spec;
    spec.name = name;
    spec.capacity_bytes = bytes;
    spec.ways = ways;
    spec.policy = policy;
    return spec;
}

HierarchySpec three_levels(const char* policy = "lru") {
    HierarchySpec spec;
    spec.levels = {level("L1", 32768, 8, policy), level("L2", 1 << 20, 16, policy),
                   level("L3", 32 << 20, 16, policy)};
    return spec;
}

void replay(benchmark::State& state, const char* generator, const HierarchySpec& spec) {
    const auto source = make_source(*generator_nest(generator));
    cachesim::Hierarchy caches(spec, {});
    source->replay(caches);
    caches.clear_counts();
    std::uint64_t touches = 0;
    for (auto _ : state) {
        source->replay(caches);
        touches = caches.touches;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(touches));
}

/// All touches hit in the first level: half of it, over and over.
void hits_in_l1(benchmark::State& state, const char* policy) {
    replay(state, "strided:bytes=16KiB,stride=64,passes=1000", three_levels(policy));
}
BENCHMARK_CAPTURE(hits_in_l1, lru, "lru");
BENCHMARK_CAPTURE(hits_in_l1, tree_plru, "tree_plru");
BENCHMARK_CAPTURE(hits_in_l1, srrip, "srrip");

/// All touches miss in all three levels: copies of 64 MiB, with their write-backs.
void misses_everywhere(benchmark::State& state, const char* policy) {
    replay(state, "copy:bytes=64MiB", three_levels(policy));
}
BENCHMARK_CAPTURE(misses_everywhere, lru, "lru")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(misses_everywhere, srrip, "srrip")->Unit(benchmark::kMillisecond);

/// The same without write-backs: reads of 64 MiB.
void reads_from_memory(benchmark::State& state) {
    replay(state, "stream:bytes=64MiB", three_levels());
}
BENCHMARK(reads_from_memory)->Unit(benchmark::kMillisecond);

void misses_through_zen_links(benchmark::State& state) {
    HierarchySpec spec = three_levels();
    spec.levels[1].inclusion = Inclusion::inclusive;
    spec.levels[2].inclusion = Inclusion::exclusive;
    replay(state, "copy:bytes=64MiB", spec);
}
BENCHMARK(misses_through_zen_links)->Unit(benchmark::kMillisecond);

void blocked_matmul(benchmark::State& state) {
    replay(state, "blocked_matmul:m=512,n=512,k=512,block=32", three_levels());
}
BENCHMARK(blocked_matmul)->Unit(benchmark::kMillisecond);

/// Text as lackey writes it for a copy loop of 4-byte instructions over 1 MiB.
std::string lackey_text() {
    std::string text;
    char line[64];
    for (int i = 0; i < 131072; ++i) {
        for (int instruction = 0; instruction < 4; ++instruction) {
            std::snprintf(line, sizeof(line), "I  %08x,4\n", 0x401000 + 4 * instruction);
            text += line;
            if (instruction > 1) continue;
            std::snprintf(line, sizeof(line), " %c %08x,8\n", instruction ? 'S' : 'L',
                          (instruction ? 0x5000000 : 0x4000000) + 8 * i);
            text += line;
        }
    }
    return text;
}

void lackey_with_simulation(benchmark::State& state) {
    const std::string text = lackey_text();
    HierarchySpec spec = three_levels();
    spec.instruction = level("I1", 32768, 8, "lru");
    std::uint64_t accesses = 0;
    for (auto _ : state) {
        const auto source = import::open_trace_bytes(text, "bench", {.merge_across_fetches = true});
        cachesim::Hierarchy caches(spec, source->info());
        source->replay(caches);
        accesses += caches.accesses;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(accesses));
}
BENCHMARK(lackey_with_simulation)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridge

BENCHMARK_MAIN();
