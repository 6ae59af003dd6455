// The self-roofline: sweeps through every level of every shipped machine file find the capacities
// that the file states. Most expensive errors of simulators were errors of configuration.
#include <doctest/doctest.h>

#include "ridge/cachesim.hpp"
#include "ridge/loop_nest.hpp"
#include "tests/cachesim/support.hpp"

namespace ridge::test {
namespace {

/// Bytes of a warm sweep over `bytes` that level i and those above it do not hold, per pass.
double missing(const HierarchySpec& spec, std::size_t i, std::uint64_t bytes) {
    const Traffic t = run("sweep:bytes=" + std::to_string(bytes) + ",passes=1", spec,
                          {.protocol = CacheState::warm});
    return t.levels[i].counts.read_bytes;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("sweeps reproduce the capacities of every shipped machine") {
        const auto machines = shipped_machines();
        REQUIRE_FALSE(machines.empty());
        for (const MachineEntry& entry : machines) {
            CAPTURE(entry.name);
            const HierarchySpec spec = hierarchy_of(load_machine(entry.name), 1);
            std::uint64_t above = 0;
            for (std::size_t i = 0; i < spec.levels.size(); ++i) {
                const CacheSpec& level = spec.levels[i];
                CAPTURE(level.name);
                // A victim cache adds to what the level above holds.
                const std::uint64_t reach =
                    level.capacity_bytes + (level.inclusion == Inclusion::exclusive ? above : 0);
                const auto line = static_cast<std::uint64_t>(level.line_bytes);
                const std::uint64_t sets =
                    level.capacity_bytes / (line * static_cast<std::uint64_t>(level.ways));
                if (level.inclusion != Inclusion::exclusive) CHECK(missing(spec, i, reach) == 0);
                // One more line per set than there are ways: under LRU every touch misses.
                if (level.policy == "lru" && level.inclusion != Inclusion::exclusive)
                    CHECK(missing(spec, i, reach + sets * line) ==
                          static_cast<double>(reach + sets * line));
                CHECK(missing(spec, i, reach + reach / 2) > 0);
                CHECK(missing(spec, i, reach / 2) == 0);
                above = reach;
            }
        }
    }

    TEST_CASE("behaviour written in a machine file reaches the simulator") {
        Machine machine = load_machine("xeon-platinum-8180");
        CacheBehaviour& b = machine.levels[1].behaviour;
        b.policy = "qlru_h00_m1_r0_u1";
        b.inclusion = "inclusive";
        b.hashed = true;
        b.prefetcher = "stream";
        b.write_allocate_evasion = 0.25;
        const HierarchySpec spec = hierarchy_of(machine, 1);
        CHECK(spec.levels[1].policy == "qlru_h00_m1_r0_u1");
        CHECK(spec.levels[1].inclusion == Inclusion::inclusive);
        CHECK(spec.levels[1].hashed);
        CHECK(spec.levels[1].prefetcher == Prefetcher::stream);
        CHECK(spec.levels[1].write_allocate_evasion == 0.25);
        b.inclusion = "sometimes";
        CHECK_THROWS(static_cast<void>(hierarchy_of(machine, 1)));
    }
}

}  // namespace ridge::test
