// Caches that keep their contents between streams: what crosses them is known in closed form.
#include <doctest/doctest.h>

#include "ridge/kept_caches.hpp"
#include "tests/cachesim/support.hpp"

namespace ridge::test {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t here = 1ULL << 40, there = 1ULL << 41;

const BoundaryBytes& below(const std::vector<BoundaryBytes>& levels, const std::string& level) {
    for (const BoundaryBytes& one : levels)
        if (one.level == level) return one;
    throw std::out_of_range(level);
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("what fits a level comes from it the second time, and only what was new is counted") {
        KeptCaches caches(small_machine());  // 4, 32 and 256 KiB
        caches.touch(here, 128 * kib, TouchKind::load);
        const auto first = caches.take();
        for (const char* level : {"L2", "L3", "DRAM"}) {
            CHECK(below(first, level).read == 128 * kib);
            CHECK(below(first, level).written == 0);
        }
        caches.touch(here, 128 * kib, TouchKind::load);
        const auto second = caches.take();
        CHECK(below(second, "L3").read == 128 * kib);
        CHECK(below(second, "DRAM").read == 0);
        // 16 KiB that were touched last are still in the second level.
        caches.touch(here + 112 * kib, 16 * kib, TouchKind::load);
        const auto third = caches.take();
        CHECK(below(third, "L2").read == 16 * kib);
        CHECK(below(third, "L3").read == 0);
    }

    TEST_CASE("dirty lines are written by whoever displaces them") {
        KeptCaches caches(small_machine());
        caches.touch(here, 64 * kib, TouchKind::store);
        CHECK(below(caches.take(), "DRAM").written == 0);
        caches.touch(there, 1024 * kib, TouchKind::load);
        const auto after = caches.take();
        CHECK(below(after, "DRAM").written == 64 * kib);
        CHECK(below(after, "DRAM").read == 1024 * kib);
    }

    TEST_CASE("non-temporal stores reach memory and no level before it") {
        KeptCaches caches(small_machine());
        caches.touch(here, 64 * kib, TouchKind::store_nt);
        const auto bytes = caches.take();
        CHECK(below(bytes, "DRAM").written == 64 * kib);
        CHECK(below(bytes, "DRAM").read == 0);
        CHECK(below(bytes, "L2").written == 0);
        CHECK(below(bytes, "L3").written == 0);
    }

    TEST_CASE("threads share what is touched in equal parts") {
        HierarchySpec spec = small_machine();
        spec.threads = 2;
        spec.levels[2].shared_by = 2;
        KeptCaches caches(spec);
        CHECK(caches.largest_bytes() == 256 * kib);
        caches.touch(here, 8 * kib, TouchKind::load);
        (void)caches.take();
        caches.touch(here, 8 * kib, TouchKind::load);  // 4 KiB a thread: its first level
        CHECK(below(caches.take(), "L2").read == 0);
    }

    TEST_CASE("the description tells caches apart by what changes their traffic") {
        const HierarchySpec spec = small_machine();
        HierarchySpec larger = spec, other_policy = spec, renamed = spec;
        larger.levels[1].capacity_bytes *= 2;
        other_policy.levels[2].policy = "tree_plru";
        renamed.name = "another machine";
        CHECK(describe_caches(larger) != describe_caches(spec));
        CHECK(describe_caches(other_policy) != describe_caches(spec));
        CHECK(describe_caches(renamed) == describe_caches(spec));
    }
}

}  // namespace ridge::test
