// Chains visit every line once, in an order without structure; the capacity follows from latencies.
#include "collectors/probe/pointer_chase.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

#include "collectors/probe/latency_probe.hpp"

using namespace ridge;
using namespace ridge::probe;

namespace {

constexpr double MiB = 1024.0 * 1024.0;

Topology with_caches(std::vector<double> sizes) {
    Topology t;
    t.cores = {{{0}, 0, 0, 0}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Cache cache;
        cache.level = static_cast<int>(i) + 1;
        cache.size = Bytes(sizes[i]);
        cache.line_bytes = 64;
        cache.cpus = {0};
        t.caches.push_back(cache);
    }
    return t;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("scramble is a permutation of any size") {
        for (const std::uint64_t size : {1u, 2u, 3u, 7u, 64u, 100u, 1000u, 4097u}) {
            CAPTURE(size);
            const Scramble order(size);
            std::set<std::uint64_t> seen;
            for (std::uint64_t k = 0; k < size; ++k) seen.insert(order(k));
            CHECK(seen.size() == size);
            CHECK(*seen.rbegin() == size - 1);
        }
    }

    TEST_CASE("scramble shows a prefetcher neither direction nor stride") {
        constexpr std::uint64_t size = 1 << 16;
        const Scramble order(size);
        std::set<std::uint64_t> strides;
        int forwards = 0, near = 0;
        for (std::uint64_t k = 0; k + 1 < size; ++k) {
            const std::uint64_t stride = (order(k + 1) - order(k)) % size;
            strides.insert(stride);
            forwards += order(k + 1) > order(k);
            near += stride < 32 || stride > size - 32;
        }
        // A random order has size (1 - 1/e) distinct strides, half of them forwards, and 63 of
        // 65536 nearby.
        CHECK(static_cast<double>(strides.size()) > 0.6 * size);
        CHECK(std::abs(forwards - static_cast<int>(size) / 2) < static_cast<int>(size) / 50);
        CHECK(near < 200);
    }

    TEST_CASE("a chain goes through every line and comes back") {
        for (const std::size_t lines : {16u, 160u, 1008u}) {
            alignas(64) static std::byte memory[1008 * 64];
            const std::byte* const start = build_chain(memory, lines * 64, 64);
            std::set<const std::byte*> seen;
            const std::byte* at = start;
            for (std::size_t i = 0; i < lines; ++i) {
                seen.insert(at);
                CHECK((at - memory) % 64 == 0);
                at = *reinterpret_cast<std::byte* const*>(at);
            }
            CHECK(at == start);
            CHECK(seen.size() == lines);
            // chase() follows as many links as it says.
            CHECK(chase(start, static_cast<std::int64_t>(lines)) == start);
            const std::byte* sixteenth = start;
            for (int i = 0; i < 16; ++i)
                sixteenth = *reinterpret_cast<std::byte* const*>(sixteenth);
            CHECK(chase(start, 16) == sixteenth);
        }
    }

    TEST_CASE("the effective capacity follows from the hit rate C/S") {
        const double cache = 16e-9, memory = 160e-9, capacity = 20 * MiB;
        std::vector<LatencyPoint> points;
        for (const double size : {4 * MiB, 8 * MiB, 16 * MiB, 24 * MiB, 32 * MiB, 64 * MiB}) {
            const double hits = std::min(1.0, capacity / size);
            points.push_back({Bytes(size), Seconds(hits * cache + (1 - hits) * memory)});
        }
        const auto found = effective_capacity(points, Seconds(cache), Seconds(memory));
        REQUIRE(found);
        CHECK(found->value() == doctest::Approx(capacity));
        // A sweep that never leaves the cache says nothing.
        points.resize(3);
        CHECK_FALSE(effective_capacity(points, Seconds(cache), Seconds(memory)));
    }

    TEST_CASE("loads that the level before serves are taken out") {
        // A quarter of random loads in four times the L2 hit the L2.
        const LatencyPoint point{Bytes(4 * MiB), Seconds(0.25 * 4e-9 + 0.75 * 16e-9)};
        CHECK(without_inner_hits(point, Bytes(MiB), Seconds(4e-9)).value() ==
              doctest::Approx(16e-9));
        // A disturbed inner latency explains nothing.
        CHECK(without_inner_hits(point, Bytes(MiB), Seconds(50e-9)) == point.latency);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("the sweep covers half of each inner level and both sides of the last") {
        const auto sizes = sweep_sizes(with_caches({32768, MiB, 32 * MiB}), 0);
        REQUIRE(sizes.size() > 8);
        CHECK(sizes[0].value() == 16384);
        CHECK(sizes[1].value() == 128 * 1024);
        CHECK(sizes[2].value() == 2 * MiB);
        CHECK(sizes.back().value() > 45 * MiB);
        CHECK(sizes.back().value() <= 64.5 * MiB);
        for (std::size_t i = 1; i < sizes.size(); ++i) CHECK(sizes[i] > sizes[i - 1]);
    }

    TEST_CASE("a buffer for each level's own latency") {
        const Topology t = with_caches({32768, MiB, 32 * MiB});
        CHECK(latency_size(t, 0, 1).value() == 16384);
        CHECK(latency_size(t, 0, 2).value() == 128 * 1024);
        CHECK(latency_size(t, 0, 3).value() == 16 * MiB);
        CHECK(latency_size(t, 0, 4).value() == 0);
        CHECK(latency_size(with_caches({32768, 2 * MiB}), 0, 2).value() == MiB);
        // 2048 lines of 4 ns are gone through in 8 us, 131072 of 15 ns in 2 ms.
        CHECK(goes_round(2048, Seconds(4e-9)));
        CHECK_FALSE(goes_round(131072, Seconds(15e-9)));
    }

    TEST_CASE("no L3, one cache, no known cache") {
        const auto two = sweep_sizes(with_caches({32768, 2 * MiB}), 0);
        CHECK(two.front().value() == 16384);
        CHECK(two.back().value() > 2.8 * MiB);
        CHECK_FALSE(sweep_sizes(with_caches({32768}), 0).empty());
        CHECK(sweep_sizes(with_caches({}), 0).empty());
        CHECK(dram_chain_size(with_caches({32768, 2 * MiB}), 0).value() == 8 * MiB);
        CHECK(dram_chain_size(with_caches({}), 0).value() == 256 * MiB);
    }
}
