// Known work against what a counter shows of it.
#include "collectors/papi/calibration.hpp"

#include <doctest/doctest.h>

using namespace ridge;
using namespace ridge::papi;

namespace {

KnownWork fma(double expected, int lanes) {
    return {"multiply-adds", "f32", expected, lanes, true, {}};
}

KnownWork additions(double expected, int lanes) {
    return {"additions", "f32", expected, lanes, false, {}};
}

KnownWork stream(double bytes) {
    return {"a stream of reads", "dram_read_bytes", bytes, 1, false, {}};
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("half of the operations has a name, and is doubled only on request (A9)") {
        const auto verdict = judge_flops(128'817'446'704.0, fma(257'698'037'760.0, 16));
        CHECK(verdict.fault == CalibrationFault::half);
        CHECK(verdict.ratio == doctest::Approx(0.49988).epsilon(1e-5));
        CHECK(verdict.correction == 2);
        CHECK(verdict.text.find("half") != std::string::npos);
    }

    TEST_CASE("twice the operations has a name (A9)") {
        CHECK(judge_flops(2e9, fma(1e9, 16)).fault == CalibrationFault::twice);
    }

    TEST_CASE("instructions instead of operations: 1/lanes, of multiply-adds 1/(2 lanes) (A8)") {
        const auto packed = judge_flops(1e6, additions(16e6, 16));
        CHECK(packed.fault == CalibrationFault::instructions);
        CHECK(packed.text.find("instructions, not operations") != std::string::npos);
        CHECK(judge_flops(1e6, fma(32e6, 16)).fault == CalibrationFault::instructions);
        CHECK(judge_flops(1e6, additions(1e6, 1)).fault == CalibrationFault::none);
    }

    TEST_CASE("two instructions of two lanes look like half; wider work decides") {
        const auto narrow = judge_flops(1e6, additions(2e6, 2));
        CHECK(narrow.fault == CalibrationFault::half);
        const auto wide = judge_flops(1e6, additions(8e6, 8));
        CHECK(worse_of(narrow, wide).fault == CalibrationFault::instructions);
        CHECK(worse_of(wide, narrow).fault == CalibrationFault::instructions);
    }

    TEST_CASE("half of one kind of work and all of another cannot be corrected by one factor") {
        const auto half = judge_flops(5e8, fma(1e9, 16));
        const auto right = judge_flops(1e9, additions(1e9, 16));
        CHECK(worse_of(half, right).fault == CalibrationFault::half);
        CHECK(worse_of(half, right).correction == 1);
        CHECK(worse_of(half, half).correction == 2);
    }

    TEST_CASE("within 2 % is right, no operation is dead, anything else is unreliable") {
        CHECK(judge_flops(1.019e9, fma(1e9, 16)).fault == CalibrationFault::none);
        CHECK(judge_flops(0, fma(1e9, 16)).fault == CalibrationFault::dead);
        CHECK(judge_flops(1.2e9, fma(1e9, 16)).fault == CalibrationFault::unreliable);
    }

    TEST_CASE(
        "DRAM bytes between 0.8 and 1.6 of a stream are accepted; 0, 0.5 and 3 are not (B5)") {
        CHECK(judge_bytes(0.81e9, stream(1e9)).fault == CalibrationFault::none);
        CHECK(judge_bytes(1.59e9, stream(1e9)).fault == CalibrationFault::none);
        CHECK(judge_bytes(0, stream(1e9)).fault == CalibrationFault::dead);
        CHECK(judge_bytes(3e9, stream(1e9)).fault == CalibrationFault::unreliable);
        CHECK(judge_bytes(0.5e9, stream(1e9)).text.find("DRAM counters unreliable") == 0);
    }

    TEST_CASE("a stream is four times all last levels, 1 GiB at least where they are large (B17)") {
        constexpr double mib = 1024.0 * 1024;
        CHECK(least_stream_bytes(256 * mib) == 1024 * mib);
        CHECK(least_stream_bytes(192 * mib) == 1024 * mib);
        CHECK(least_stream_bytes(32 * mib) == 128 * mib);
        CHECK(least_stream_bytes(512 * mib) == 2048 * mib);
    }
}
