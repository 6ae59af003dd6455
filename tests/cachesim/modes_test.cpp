// The quick modes against the exact one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ridge/error.hpp"
#include "tests/cachesim/support.hpp"

namespace ridge::test {
namespace {

const std::vector<std::string>& generators_long_enough() {
    static const std::vector<std::string> all{"stream:bytes=16MiB",
                                              "sweep:bytes=12KiB,passes=400",
                                              "sweep:bytes=300KiB,passes=60",
                                              "strided:bytes=4MiB,stride=4KiB,passes=200",
                                              "strided:bytes=1152KiB,stride=192,passes=100",
                                              "copy:bytes=16MiB",
                                              "copy:bytes=16MiB,nt=1",
                                              "triad:bytes=16MiB",
                                              "blocked_matmul:m=2048,n=96,k=96,block=16"};
    return all;
}

double relative(double a, double b) {
    return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 4096.0});
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("periodic is within 0.5 % of exact at every level on every generator") {
        for (const std::string& generator : generators_long_enough()) {
            CAPTURE(generator);
            const Traffic exact = run(generator, small_machine());
            const Traffic fast =
                run(generator, small_machine(), {.method = TrafficMethod::periodic});
            for (std::size_t i = 0; i < exact.levels.size(); ++i) {
                CAPTURE(i);
                const LevelCounts &a = exact.levels[i].counts, &b = fast.levels[i].counts;
                CHECK(relative(a.read_bytes, b.read_bytes) <= 0.005);
                CHECK(relative(a.written_bytes, b.written_bytes) <= 0.005);
                CHECK(relative(a.misses() * 64, b.misses() * 64) <= 0.005);
                CHECK(relative(a.accesses(), b.accesses()) <= 0.005);
                // What is dirty is a state, which goes up and down within a period.
                CHECK(relative(a.dirty_bytes, b.dirty_bytes) <= 0.03);
            }
            CHECK(relative(exact.memory.read_bytes, fast.memory.read_bytes) <= 0.005);
            CHECK(relative(exact.memory.written_bytes, fast.memory.written_bytes) <= 0.005);
            CHECK(exact.touches == fast.touches);
            CHECK_MESSAGE(fast.simulated_share < 0.6, fast.bound);
        }
    }

    TEST_CASE("periodic: a direct convolution over many images") {
        const Layer layer = parse_layer("conv:mb192ic16ih14oc16oh14kh3ph1");
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            const auto source = make_source(nest_of(layer, pass));
            const Traffic exact = simulate(*source, small_machine());
            const Traffic fast =
                simulate(*source, small_machine(), {.method = TrafficMethod::periodic});
            for (std::size_t i = 0; i < exact.levels.size(); ++i) {
                CHECK(relative(exact.levels[i].counts.read_bytes,
                               fast.levels[i].counts.read_bytes) <= 0.005);
                CHECK(relative(exact.levels[i].counts.written_bytes,
                               fast.levels[i].counts.written_bytes) <= 0.005);
            }
            CHECK(fast.simulated_share < 1);
        }
    }

    TEST_CASE("periodic: any number of repeats is the same work, from every cache state") {
        for (const CacheState protocol :
             {CacheState::cold, CacheState::warm, CacheState::in_step}) {
            CAPTURE(static_cast<int>(protocol));
            // 12 KiB cycle through 4 KiB under LRU: all miss. They stay in 32 KiB.
            const Traffic t = run("sweep:bytes=12KiB,passes=1e15", small_machine(),
                                  {.method = TrafficMethod::periodic, .protocol = protocol});
            CHECK(t.levels[0].counts.misses() == 192e15);
            CHECK(t.levels[1].counts.misses() == (protocol == CacheState::cold ? 192 : 0));
            CHECK(t.touches == 192e15);
            CHECK(t.simulated_share < 1e-9);
            const Traffic copy = run("copy:bytes=1e15", small_machine(),
                                     {.method = TrafficMethod::periodic, .protocol = protocol});
            CHECK(copy.memory.read_bytes == doctest::Approx(2e15).epsilon(1e-9));
            CHECK(copy.memory.written_bytes == doctest::Approx(1e15).epsilon(1e-9));
        }
    }

    TEST_CASE("periodic: unequal shares of threads and parts cut short are simulated as they are") {
        HierarchySpec spec = small_machine();
        spec.threads = 3;
        spec.levels[1].shared_by = spec.levels[2].shared_by = 3;
        // 1954 and 7813 blocks for three threads.
        for (const char* generator : {"copy:bytes=1000448", "triad:bytes=4000256"}) {
            CAPTURE(generator);
            const auto source = make_source(*generator_nest(generator), 64, spec.threads);
            for (const CacheState protocol : {CacheState::cold, CacheState::warm}) {
                const Traffic exact = simulate(*source, spec, {.protocol = protocol});
                const Traffic fast = simulate(
                    *source, spec, {.method = TrafficMethod::periodic, .protocol = protocol});
                CHECK(exact.touches == fast.touches);
                CHECK(fast.simulated_share < 1);
                for (std::size_t i = 0; i < exact.levels.size(); ++i) {
                    const LevelCounts &a = exact.levels[i].counts, &b = fast.levels[i].counts;
                    CHECK(relative(a.read_bytes, b.read_bytes) <= 0.005);
                    CHECK(relative(a.written_bytes, b.written_bytes) <= 0.005);
                }
            }
        }
    }

    TEST_CASE("periodic: a stream that leaves its period is followed exactly where it goes") {
        std::vector<LineRun> runs;
        for (std::uint64_t i = 0; i < 4000; ++i)
            runs.push_back({.line = 4096 + 64 * i, .count = 64, .bytes = 64});
        for (std::uint64_t i = 0; i < 300; ++i)
            runs.push_back({.line = 1u << 20,
                            .count = 32,
                            .stride = 3,
                            .bytes = 64,
                            .kind = TouchKind::store});
        GivenRuns source(runs);
        const Traffic exact = simulate(source, small_machine());
        const Traffic fast = simulate(source, small_machine(), {.method = TrafficMethod::periodic});
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(relative(exact.levels[i].counts.read_bytes, fast.levels[i].counts.read_bytes) <=
                  0.005);
            CHECK(exact.levels[i].counts.dirty_bytes == fast.levels[i].counts.dirty_bytes);
        }
        CHECK(exact.touches == fast.touches);
    }

    TEST_CASE("periodic: a stream without period is simulated in full and says so") {
        std::vector<LineRun> runs;
        std::uint64_t x = 1;
        for (int i = 0; i < 3000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            runs.push_back({.line = x >> 44, .bytes = 64});
        }
        GivenRuns source(runs);
        const Traffic exact = simulate(source, small_machine());
        const Traffic fast = simulate(source, small_machine(), {.method = TrafficMethod::periodic});
        CHECK(fast.simulated_share == 1);
        CHECK(fast.memory.read_bytes == exact.memory.read_bytes);
        REQUIRE_FALSE(fast.notes.empty());
        CHECK(fast.notes.back().find("simulated in full") != std::string::npos);
    }

    TEST_CASE("sampled: 95 % intervals hold the exact value in at least 90 % of 200 seeds") {
        HierarchySpec spec = small_machine();
        spec.levels[0] = cache("L1", 16384, 4);  // 64 sets: 64 groups
        for (const char* generator :
             {"blocked_matmul:m=96,n=128,k=160,block=16", "copy:bytes=200KiB",
              "strided:bytes=1152KiB,stride=192,passes=3",
              "strided:bytes=2MiB,stride=4KiB,passes=3"}) {
            CAPTURE(generator);
            const Traffic exact = run(generator, spec);
            for (std::size_t level = 0; level < 3; ++level) {
                CAPTURE(level);
                int held = 0;
                for (std::uint64_t seed = 1; seed <= 200; ++seed) {
                    const Traffic t =
                        run(generator, spec, {.method = TrafficMethod::sampled, .seed = seed});
                    const Band band = *t.levels[level].read_bound;
                    const double value = exact.levels[level].counts.read_bytes;
                    // Sums of doubles: equal to a byte.
                    held += band.low <= value + 0.5 && value <= band.high + 0.5;
                }
                CHECK(held >= 180);
            }
        }
    }

    TEST_CASE("sampled: all groups give the exact result, hashed sets included") {
        HierarchySpec spec = small_machine();
        spec.levels[0] = cache("L1", 16384, 4);
        spec.levels[2] = cache("L3", 12 * 192 * 64, 12);  // 192 sets
        spec.levels[2].hashed = true;
        const char* generator = "blocked_matmul:m=96,n=128,k=160,block=16";
        const Traffic exact = run(generator, spec);
        const Traffic all =
            run(generator, spec, {.method = TrafficMethod::sampled, .sampled_groups = 64});
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(exact.levels[i].counts.read_bytes == all.levels[i].counts.read_bytes);
            CHECK(exact.levels[i].counts.written_bytes == all.levels[i].counts.written_bytes);
            CHECK(exact.levels[i].counts.dirty_bytes == all.levels[i].counts.dirty_bytes);
        }
    }

    TEST_CASE("sampling needs common groups") {
        const HierarchySpec spec = hierarchy({cache("L1", 4096, 64)});
        CHECK_THROWS_AS(run("stream:bytes=1MiB", spec, {.method = TrafficMethod::sampled}), Error);
    }

    TEST_CASE("analytic: exact for streams, within its bounds for products and convolutions") {
        const HierarchySpec spec = small_machine();
        for (const char* generator : {"stream:bytes=1MiB", "copy:bytes=1MiB", "triad:bytes=1MiB"}) {
            const Traffic analytic = analyse_nest(*generator_nest(generator), spec);
            const Traffic exact = run(generator, spec);
            for (std::size_t i = 0; i < 3; ++i)
                CHECK(analytic.levels[i].counts.read_bytes == exact.levels[i].counts.read_bytes);
        }
        std::vector<LoopNest> nests{*generator_nest("blocked_matmul:m=256,n=256,k=256,block=16")};
        const Layer layer = parse_layer("conv:mb4ic32ih28oc32oh28kh3ph1");
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights})
            nests.push_back(nest_of(layer, pass));
        for (const LoopNest& nest : nests) {
            CAPTURE(nest.name);
            const auto source = make_source(nest);
            const Traffic exact = simulate(*source, spec);
            const Traffic analytic = analyse_nest(nest, spec);
            for (std::size_t i = 0; i < 3; ++i) {
                CAPTURE(i);
                const Band band = *analytic.levels[i].read_bound;
                CHECK(exact.levels[i].counts.read_bytes >= 0.9 * band.low);
                CHECK(exact.levels[i].counts.read_bytes <= 1.1 * band.high);
            }
        }
    }

    TEST_CASE("analytic: written data is conserved from level to level, tensors add up to levels") {
        HierarchySpec two = small_machine();
        two.threads = 2;
        two.levels[2].shared_by = 2;
        HierarchySpec evading = small_machine();
        evading.levels[0].write_allocate_evasion = 0.5;
        HierarchySpec exclusive = small_machine();
        exclusive.levels[1].inclusion = Inclusion::exclusive;
        std::vector<LoopNest> nests;
        for (const char* text :
             {"copy:bytes=128KiB", "copy:bytes=1MiB", "triad:bytes=256KiB", "copy:bytes=1MiB,nt=1",
              "stream:bytes=1MiB", "blocked_matmul:m=256,n=256,k=256,block=16"})
            nests.push_back(*generator_nest(text));
        const Layer layer = parse_layer("conv:mb4ic32ih28oc32oh28kh3ph1");
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights})
            nests.push_back(nest_of(layer, pass));
        for (const HierarchySpec& spec : {small_machine(), two, evading, exclusive})
            for (const LoopNest& nest : nests) {
                CAPTURE(nest.name);
                const Traffic t = analyse_nest(nest, spec);
                for (std::size_t i = 0; i < t.levels.size(); ++i) {
                    CAPTURE(i);
                    const LevelCounts& counts = t.levels[i].counts;
                    CHECK(counts.dirty_bytes >= 0);
                    if (i > 0)
                        CHECK(counts.written_bytes + counts.dirty_bytes <=
                              t.levels[i - 1].counts.written_bytes * (1 + 1e-12));
                    double read = 0, written = 0;
                    for (const RegionTraffic& tensor : t.levels[i].regions) {
                        read += tensor.read_bytes;
                        written += tensor.written_bytes;
                    }
                    CHECK(read == doctest::Approx(counts.read_bytes));
                    CHECK(written == doctest::Approx(counts.written_bytes));
                }
                CHECK(t.memory.read_bytes == t.levels.back().counts.read_bytes);
                CHECK(t.memory.written_bytes ==
                      t.levels.back().counts.written_bytes + t.memory.non_temporal_bytes);
            }
    }

    TEST_CASE("analytic: what is written and what stays dirty are those of the exact mode") {
        HierarchySpec two = small_machine();
        two.threads = 2;
        two.levels[2].shared_by = 2;
        for (const HierarchySpec& spec : {small_machine(), two})
            for (const char* text : {"copy:bytes=128KiB", "copy:bytes=1MiB", "triad:bytes=256KiB",
                                     "copy:bytes=1MiB,nt=1"}) {
                CAPTURE(text);
                CAPTURE(spec.threads);
                const Traffic exact = run(text, spec);
                const Traffic analytic = analyse_nest(*generator_nest(text), spec);
                CHECK(analytic.touches == exact.touches);
                double capacities = 0;
                for (std::size_t i = 0; i < exact.levels.size(); ++i) {
                    CAPTURE(i);
                    const LevelCounts &a = analytic.levels[i].counts, &e = exact.levels[i].counts;
                    // Which lines are the last ones in the caches depends on the order of arrays,
                    // which take turns in blocks of 512 bytes: to a block and a tenth of what the
                    // caches hold.
                    capacities += static_cast<double>(spec.levels[i].capacity_bytes) *
                                  (i < 2 ? spec.threads : 1);
                    const double close = 0.1 * capacities + 512 * spec.threads;
                    CHECK(std::abs(a.written_bytes - e.written_bytes) <= close);
                    CHECK(std::abs(a.dirty_bytes - e.dirty_bytes) <= close);
                    CHECK(a.write_backs_in ==
                          (i == 0 ? 0 : analytic.levels[i - 1].counts.written_bytes / 64));
                }
            }
    }

    TEST_CASE("the miss-ratio curve equals fully associative simulations") {
        const auto source = make_source(*generator_nest("blocked_matmul:m=48,n=64,k=80,block=16"));
        const std::vector<std::uint64_t> capacities{512, 1024, 2048, 4096};
        const auto curve = miss_ratio_curve(*source, capacities);
        for (std::size_t i = 0; i < capacities.size(); ++i) {
            const auto ways = static_cast<int>(capacities[i] / 64);
            const Traffic t = simulate(*source, hierarchy({cache("L1", capacities[i], ways)}));
            CHECK(curve[i].misses == t.levels[0].counts.read_bytes / 64);
        }
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("the miss-ratio curve counts as the first level does: straddles, repeats, modifies") {
        std::vector<LineRun> runs;
        std::uint64_t x = 9;
        for (int i = 0; i < 20000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            runs.push_back({.line = 4096 + (x >> 40) % 300,
                            .count = static_cast<std::uint32_t>(1 + (x >> 20) % 3),
                            .stride = static_cast<std::int32_t>((x >> 25) % 7) - 3,
                            .repeats = static_cast<std::uint16_t>(1 + (x >> 55) % 3),
                            .offset = static_cast<std::uint16_t>((x >> 30) % 64),
                            .bytes = static_cast<std::uint16_t>(1 + (x >> 33) % 200),
                            .kind = static_cast<TouchKind>((x >> 60) % 3)});
        }
        GivenRuns source(runs);
        const std::vector<std::uint64_t> capacities{512, 1024, 2048, 4096};
        const auto curve = miss_ratio_curve(source, capacities);
        for (std::size_t i = 0; i < capacities.size(); ++i) {
            const auto ways = static_cast<int>(capacities[i] / 64);
            const Traffic t = simulate(source, hierarchy({cache("L1", capacities[i], ways)}));
            const LevelCounts& counts = t.levels[0].counts;
            CHECK(curve[i].misses == counts.misses());
            CHECK(curve[i].ratio == doctest::Approx(counts.misses() / counts.accesses()));
        }
    }
}

TEST_SUITE("formula") {
    TEST_CASE("direct convolution touches every byte of its tensors") {
        const Layer layer = parse_layer("conv:g2mb2ic32ih15oc64oh8kh3sh2ph1");
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            const auto source = make_source(nest_of(layer, pass));
            // Caches larger than everything: compulsory traffic.
            const Traffic t = simulate(*source, hierarchy({cache("L1", 1 << 24, 16)}));
            double tensors = 0;
            for (const Region& region : source->info().regions)
                tensors += std::ceil(static_cast<double>(region.bytes) / 64) * 64;
            CHECK(t.memory.read_bytes == tensors);
        }
    }
}

}  // namespace ridge::test
