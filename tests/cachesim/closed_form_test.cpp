// Streams whose traffic is known in closed form.
#include <doctest/doctest.h>

#include "model/cachesim/hierarchy.hpp"
#include "ridge/error.hpp"
#include "tests/cachesim/support.hpp"

namespace ridge::test {

TEST_SUITE("formula") {
    TEST_CASE("a stream of N lines misses N times at every level") {
        const Traffic t = run("stream:bytes=1MiB", small_machine());
        for (const LevelTraffic& level : t.levels) {
            CHECK(level.counts.load_misses == 16384);
            CHECK(level.counts.read_bytes == 1 << 20);
            CHECK(level.counts.written_bytes == 0);
        }
        CHECK(t.memory.read_bytes == 1 << 20);
        CHECK(t.touches == 16384);
    }

    TEST_CASE("a cyclic sweep of the capacity hits, of one line more misses always under LRU") {
        const HierarchySpec spec = hierarchy({cache("L1", 4096, 64)});  // fully associative
        CHECK(run("sweep:bytes=4096,passes=50", spec).levels[0].counts.load_misses == 64);
        CHECK(run("sweep:bytes=4160,passes=50", spec).levels[0].counts.load_misses == 65 * 50);
    }

    TEST_CASE("copy moves 24 bytes per double, 16 with non-temporal stores") {
        const double doubles = (1 << 20) / 8.0;
        const Traffic plain = run("copy:bytes=1MiB", small_machine());
        const double dirty = plain.levels[0].counts.dirty_bytes +
                             plain.levels[1].counts.dirty_bytes +
                             plain.levels[2].counts.dirty_bytes;
        CHECK((plain.memory.read_bytes + plain.memory.written_bytes + dirty) / doubles == 24);
        const Traffic past = run("copy:bytes=1MiB,nt=1", small_machine());
        CHECK((past.memory.read_bytes + past.memory.written_bytes) / doubles == 16);
        CHECK(past.memory.non_temporal_bytes == 1 << 20);
        CHECK(past.memory.partial_line_bytes == 0);
    }

    TEST_CASE("triad moves 32 bytes per double, 24 past the caches; a sum 8 (B1)") {
        const double doubles = (1 << 20) / 8.0;
        const auto moved = [&](const char* generator) {
            const Traffic t = run(generator, small_machine());
            double bytes = t.memory.read_bytes + t.memory.written_bytes;
            for (const LevelTraffic& level : t.levels) bytes += level.counts.dirty_bytes;
            return bytes / doubles;
        };
        CHECK(moved("triad:bytes=1MiB") == 32);
        CHECK(moved("triad:bytes=1MiB,nt=1") == 24);
        CHECK(moved("sweep:bytes=1MiB,passes=1") == 8);
    }

    TEST_CASE("write-allocate evasion takes its share of the reads away") {
        for (const double share : {0.25, 0.5, 1.0}) {
            HierarchySpec spec = small_machine();
            spec.levels[2].write_allocate_evasion = share;
            const Traffic t = run("copy:bytes=1MiB", spec);
            CHECK(t.memory.read_bytes == (1 << 20) * (2 - share));
            CHECK(t.levels[2].counts.evaded == 16384 * share);
        }
    }

    TEST_CASE("exclusive levels hold the sum of their capacities, inclusive ones the largest") {
        // Fully associative so that nothing but capacity counts.
        const auto misses = [](Inclusion inclusion, int lines) {
            const HierarchySpec spec =
                hierarchy({cache("L1", 16 * 64, 16), cache("L2", 32 * 64, 32, inclusion)});
            return run("sweep:bytes=" + std::to_string(64 * lines) + ",passes=10", spec)
                       .memory.read_bytes /
                   64;
        };
        CHECK(misses(Inclusion::exclusive, 48) == 48);
        CHECK(misses(Inclusion::exclusive, 49) == 490);
        CHECK(misses(Inclusion::inclusive, 32) == 32);
        CHECK(misses(Inclusion::inclusive, 33) == 330);
        CHECK(misses(Inclusion::non_inclusive, 32) == 32);
        CHECK(misses(Inclusion::non_inclusive, 33) == 330);
    }

    TEST_CASE("write-through without allocation passes every store on") {
        HierarchySpec spec = small_machine();
        spec.levels[0].write_policy = WritePolicy::write_through;
        spec.levels[0].write_allocate = false;
        const Traffic t = run("copy:bytes=64KiB", spec);
        CHECK(t.levels[0].counts.written_bytes == 65536);
        CHECK(t.levels[0].counts.read_bytes == 65536);
        CHECK(t.levels[0].counts.write_backs == 0);
        CHECK(t.levels[0].counts.dirty_bytes == 0);
        CHECK(t.levels[1].counts.forwarded_stores == 1024);
    }

    TEST_CASE("sectors: one touch of 8 bytes reads a sector, not the line") {
        HierarchySpec spec = small_machine();
        for (CacheSpec& level : spec.levels) {
            level.line_bytes = 128;
            level.sector_bytes = 32;
        }
        const Traffic t = run("strided:bytes=1MiB,stride=256,passes=1", spec);
        CHECK(t.memory.read_bytes == 4096 * 32);
        const Traffic whole = run("stream:bytes=1MiB", spec);
        CHECK(whole.memory.read_bytes == 1 << 20);
    }

    TEST_CASE("non-temporal stores of half lines are read and merged by memory") {
        GivenRuns halves({{.line = 0x1000,
                           .count = 100,
                           .stride = 1,
                           .bytes = 32,
                           .kind = TouchKind::store_nt}});
        const Traffic t = simulate(halves, small_machine());
        CHECK(t.memory.partial_line_bytes == 6400);
        CHECK(t.memory.read_bytes == 6400);
        CHECK(t.memory.non_temporal_bytes == 0);
    }

    TEST_CASE("a non-temporal store drops the cached copy") {
        GivenRuns runs({{.line = 8, .bytes = 64, .kind = TouchKind::store},
                        {.line = 8, .bytes = 32, .kind = TouchKind::store_nt},
                        {.line = 8, .bytes = 8, .kind = TouchKind::load}});
        const Traffic t = simulate(runs, small_machine());
        CHECK(t.levels[0].counts.load_misses == 1);
        // The dirty copy and the half line make a whole one.
        CHECK(t.memory.non_temporal_bytes == 64);
        CHECK(t.memory.partial_line_bytes == 0);
    }

    TEST_CASE("addresses near 2^47 and 2^63 create no ghost lines") {
        for (const std::uint64_t base : {std::uint64_t{1} << 41, std::uint64_t{1} << 57}) {
            GivenRuns runs(
                {{.line = base - 4096, .count = 8192, .bytes = 64, .kind = TouchKind::store}});
            const Traffic t = simulate(runs, small_machine());
            CHECK(t.memory.read_bytes == 8192 * 64);
            CHECK(t.memory.written_bytes + t.levels[0].counts.dirty_bytes +
                      t.levels[1].counts.dirty_bytes + t.levels[2].counts.dirty_bytes ==
                  8192 * 64);
        }
    }

    TEST_CASE("private levels are one per thread, shared ones are shared") {
        HierarchySpec spec = small_machine();
        spec.threads = 2;
        spec.levels[2].shared_by = 2;
        const Traffic t = run("stream:bytes=1MiB", spec);
        CHECK(t.levels[0].counts.load_misses == 16384);
        // Both threads read the same 128 KiB: private levels miss twice, the shared one once.
        const auto same = [](std::uint8_t thread) {
            return LineRun{.line = 4096, .count = 2048, .bytes = 64, .thread = thread};
        };
        TraceInfo info;
        info.threads = 2;
        GivenRuns both({same(0), same(1)}, info);
        const Traffic shared = simulate(both, spec);
        CHECK(shared.levels[1].counts.load_misses == 4096);
        CHECK(shared.memory.read_bytes == 2048 * 64);
    }

    TEST_CASE("warm: what fits is there; in_step: what the layer before wrote is there, dirty") {
        const HierarchySpec spec = small_machine();
        CHECK(run("copy:bytes=64KiB", spec, {.protocol = CacheState::warm}).memory.read_bytes == 0);
        const Traffic t = run("copy:bytes=64KiB", spec, {.protocol = CacheState::in_step});
        CHECK(t.memory.read_bytes == 65536);  // the target only
        CHECK(t.levels[2].counts.dirty_bytes + t.levels[1].counts.dirty_bytes +
                  t.levels[0].counts.dirty_bytes >=
              131072);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("bytes are conserved at every level, whatever the links") {
        for (const Inclusion second :
             {Inclusion::non_inclusive, Inclusion::inclusive, Inclusion::exclusive})
            for (const Inclusion third :
                 {Inclusion::non_inclusive, Inclusion::inclusive, Inclusion::exclusive})
                for (const char* policy :
                     {"lru", "tree_plru", "qlru_h11_m1_r0_u0", "srrip", "random"}) {
                    CAPTURE(policy);
                    CAPTURE(to_string(second));
                    CAPTURE(to_string(third));
                    HierarchySpec spec = small_machine();
                    spec.levels[1].inclusion = second;
                    spec.levels[2].inclusion = third;
                    for (CacheSpec& level : spec.levels) level.policy = policy;
                    check(spec);
                    const auto source =
                        make_source(*generator_nest("blocked_matmul:m=128,n=192,k=256,block=16"));
                    cachesim::Hierarchy caches(spec, source->info());
                    source->replay(caches);
                    caches.finish();
                    for (int i = 0; i < 3; ++i) {
                        const cachesim::Counts c = caches.counts(i);
                        std::uint64_t held = 0;
                        for (const auto& one : caches.instances(i))
                            one->visit([&](std::uint64_t, cachesim::SectorMask, std::uint64_t) {
                                ++held;
                            });
                        CHECK(c.insertions - c.evictions - c.invalidations == held);
                        if (i == 2) {
                            CHECK(c.read_bytes == caches.memory().read_bytes);
                            CHECK(c.write_backs * 64 == caches.memory().written_bytes);
                            continue;
                        }
                        CHECK(c.read_bytes == caches.counts(i + 1).supplied_bytes);
                        CHECK(c.written_bytes == caches.counts(i + 1).received_bytes);
                    }
                    // Every byte of C is dirty once, somewhere, or was written back.
                    std::uint64_t dirty = 0;
                    for (int i = 0; i < 3; ++i) dirty += caches.dirty_bytes(i);
                    CHECK(dirty + caches.memory().written_bytes >= 128 * 192 * 4);
                    CHECK(caches.memory().read_bytes >= 4 * (128 * 256 + 256 * 192 + 128 * 192));
                }
    }

    TEST_CASE("traffic per tensor adds up to the traffic") {
        const Traffic t = run("triad:bytes=1MiB", small_machine());
        for (const LevelTraffic& level : t.levels) {
            double read = 0, written = 0;
            for (const RegionTraffic& region : level.regions) {
                read += region.read_bytes;
                written += region.written_bytes;
                if (region.region == "b" || region.region == "c") CHECK(region.written_bytes == 0);
                if (region.region == "other") CHECK(region.read_bytes == 0);
            }
            CHECK(read == level.counts.read_bytes);
            CHECK(written == level.counts.written_bytes);
        }
    }

    TEST_CASE("the prefetcher's effect is a band that holds the plain result") {
        HierarchySpec spec = small_machine();
        spec.levels[1].prefetcher = Prefetcher::next_line;
        const Traffic t = run("strided:bytes=1MiB,stride=128,passes=1", spec);
        REQUIRE(t.levels[1].read_bound);
        CHECK(t.levels[1].read_bound->low == t.levels[1].counts.read_bytes);
        // One useless line for each useful one, except at the end of pages.
        CHECK(t.levels[1].read_bound->high > 1.9 * t.levels[1].counts.read_bytes);
        spec.levels[1].prefetcher = Prefetcher::stream;
        const Traffic stream = run("stream:bytes=1MiB", spec);
        CHECK(stream.levels[1].read_bound->high == stream.levels[1].counts.read_bytes);
    }

    TEST_CASE("host memory stays within twice the tags and 64 MiB") {
        HierarchySpec spec = hierarchy({cache("L1", 32768, 8), cache("L2", 1 << 20, 16),
                                        cache("L3", std::uint64_t{256} << 20, 16)});
        const cachesim::Hierarchy caches(spec, {});
        const double tags = 8.0 * (32768 + (1 << 20) + (256 << 20)) / 64;
        CHECK(static_cast<double>(caches.host_bytes()) <= 2 * tags);
    }

    TEST_CASE("impossible caches are refused by name") {
        const auto refused = [](HierarchySpec spec, const std::string& word) {
            try {
                check(spec);
            } catch (const Error& error) {
                CHECK(error.code() == ExitCode::bad_input);
                CHECK_MESSAGE(std::string(error.what()).find(word) != std::string::npos,
                              error.what());
                return;
            }
            FAIL("accepted: " << word);
        };
        const auto with = [](auto change) {
            HierarchySpec spec = small_machine();
            change(spec);
            return spec;
        };
        refused(with([](auto& s) { s.levels[0].ways = 0; }), "L1.ways");
        refused(with([](auto& s) { s.levels[0].ways = 65; }), "L1.ways");
        refused(with([](auto& s) { s.levels[0].line_bytes = 48; }), "L1.line");
        refused(with([](auto& s) { s.levels[1].line_bytes = 128; }), "L2.line");
        refused(with([](auto& s) { s.levels[0].capacity_bytes = 5000; }), "L1.capacity");
        refused(with([](auto& s) { s.levels[0].capacity_bytes = 0; }), "L1.capacity");
        refused(with([](auto& s) { s.levels[2].policy = "mru"; }), "L3.policy");
        refused(with([](auto& s) { s.levels[2].policy = "qlru_h99_m1_r0_u1"; }), "L3.policy");
        refused(with([](auto& s) {
                    s.levels[0].ways = 3;
                    s.levels[0].capacity_bytes = 64 * 3 * 8;
                    s.levels[0].policy = "tree_plru";
                }),
                "L1.ways");
        refused(with([](auto& s) {
                    s.levels[1].inclusion = Inclusion::inclusive;
                    s.levels[1].capacity_bytes = 2048;
                }),
                "L2.capacity");
        refused(with([](auto& s) { s.levels[0].inclusion = Inclusion::exclusive; }),
                "L1.inclusion");
        refused(with([](auto& s) { s.levels[0].sector_bytes = 24; }), "L1.sector");
        refused(with([](auto& s) { s.levels[0].write_allocate_evasion = 1.5; }), "evasion");
        refused(with([](auto& s) { s.levels[1].shared_by = 0; }), "shared_by");
        refused(hierarchy({}), "cache level");
    }
}

}  // namespace ridge::test
