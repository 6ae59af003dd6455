// What a count can be, and what is refused.
#include "collectors/papi/limits.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace ridge::papi;

TEST_SUITE("formula") {
    TEST_CASE("a count that had its counter for a quarter of the time is scaled and says so (A6)") {
        const ScaledCount scaled = scale_to_full_time(1000, 10e-3, 2.5e-3);
        CHECK(scaled.value == doctest::Approx(4000));
        CHECK(scaled.coverage == doctest::Approx(0.25));
        CHECK(scaled.refused.empty());
    }

    TEST_CASE("a count that never had a counter is not counted, and not 0 (A6)") {
        const ScaledCount scaled = scale_to_full_time(0, 10e-3, 0);
        CHECK(scaled.refused.find("not counted") == 0);
    }

    TEST_CASE("less than a fifth of the time is refused; times that nobody tells scale nothing") {
        CHECK(!scale_to_full_time(1000, 10e-3, 1.9e-3).refused.empty());
        CHECK(scale_to_full_time(1000, 10e-3, 2.1e-3).refused.empty());
        CHECK(scale_to_full_time(1000, 0, 0).value == 1000);
    }

    TEST_CASE("a counter that starts again at 2^48 (B7)") {
        CHECK(counter_difference(std::ldexp(1.0, 48) - 10, 20, 48) == 30);
        CHECK(counter_difference(5, 20, 48) == 15);
        CHECK(counter_difference(20, 15, 64) == -5);
    }

    TEST_CASE("1.88e19 in a memory counter is no traffic (B7)") {
        CHECK(!impossible_bytes(counter_difference(0, 1.88e19, 64), 1, 1e11).empty());
        CHECK(impossible_bytes(8e8, 10e-3, 2.5e10).empty());     // 80 GB/s of 4 x 25
        CHECK(!impossible_bytes(1.1e9, 10e-3, 2.5e10).empty());  // 110 GB/s
    }

    TEST_CASE("negative counts are refused, not cut to 0 (C1)") {
        CHECK(impossible_count(-5).find("negative") != std::string::npos);
        CHECK(impossible_count(0).empty());
        CHECK(!impossible_count(std::nan("")).empty());
    }

    TEST_CASE("more instructions than a core retires (C1)") {
        const std::string reason = impossible_instructions(3'200'020'432.0, 3'444'794.0, 8);
        CHECK(reason.find("IPC 928.9") != std::string::npos);
        CHECK(impossible_instructions(7.9e6, 1e6, 8).empty());
        CHECK(!impossible_instructions(1, 0, 8).empty());
    }

    TEST_CASE("more operations than lanes x units x 2: 31.88 of 32 is fine (A9), 33 is not (C1)") {
        CHECK(impossible_rate(76'353.7, 2394.7, 32).empty());
        CHECK(!impossible_rate(33 * 2394.7, 2394.7, 32).empty());
        CHECK(impossible_rate(1e9, 1, 0).empty());  // no limit known
    }

    TEST_CASE("a region of 50 us under a multiplexing period of 4 ms (C1)") {
        CHECK(multiplexed_too_short(50e-6, 4e-3).find("measure in passes") == 0);
        CHECK(multiplexed_too_short(5e-3, 4e-3).empty());
    }

    TEST_CASE("bytes from instruction counts: 100 512-bit loads are 6400 bytes, not 400 (B9)") {
        CHECK(fewer_than_least(400, 6400).find("16.0 times fewer") != std::string::npos);
        CHECK(fewer_than_least(6400, 6400).empty());
    }

    TEST_CASE("a region of ten times what counting costs is flagged (C6)") {
        CHECK(hidden_by_overhead(10 * 250.0, 250));
        CHECK(!hidden_by_overhead(11 * 250.0, 250));
        CHECK(!hidden_by_overhead(0, 0));
    }
}
