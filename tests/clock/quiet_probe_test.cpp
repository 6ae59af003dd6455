#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "collectors/clock/affinity.hpp"
#include "collectors/clock/clock.hpp"
#include "collectors/clock/quiet_probe.hpp"

using namespace ridge;
using namespace ridge::clock;

TEST_SUITE("behaviour") {
    TEST_CASE("the clock goes forward and reading it costs little") {
        const Seconds start = now();
        CHECK(now() >= start);
        CHECK(read_cost().value() >= 0);
        CHECK(read_cost().value() < 10e-6);
    }

    TEST_CASE("the best reading is physically possible") {
        // Whatever disturbs, the best of many readings shows a core of this century: a clock of 0.5
        // to 7 GHz, at most 10 instructions and 2 multiply-adds of 16 lanes a cycle, and no less
        // than one instruction a cycle and a multiplication of 4 lanes every other cycle.
        ProbeReading best;
        for (int i = 0; i < 200; ++i) {
            const auto reading = read_quiet_probe();
            best.clock = std::max(best.clock, reading.clock);
            best.fma = std::max(best.fma, reading.fma);
            best.issue = std::max(best.issue, reading.issue);
            CHECK(reading.at <= now());
        }
        CHECK(best.clock.value() > 0.5e9);
        CHECK(best.clock.value() < 7e9);
        CHECK(best.issue.value() > 1.0 * best.clock.value());
        CHECK(best.issue.value() < 10.2 * best.clock.value());
        CHECK(best.fma.value() > 2.0 * best.clock.value());
        CHECK(best.fma.value() < 65.0 * best.clock.value());
    }

    TEST_CASE("one reading per thread, taken at the same time") {
        const auto cpus = allowed_cpus();
        const int threads = std::min<int>(2, static_cast<int>(cpus.size()));
        const ThreadBinding binding({cpus.begin(), cpus.begin() + threads});
        const Seconds start = now();
        std::vector<ProbeReading> readings(static_cast<std::size_t>(threads));
        read_quiet_probe(readings);
        for (const auto& reading : readings) {
            CHECK(reading.clock.value() > 0);
            CHECK(reading.at > start);
        }
    }
}
