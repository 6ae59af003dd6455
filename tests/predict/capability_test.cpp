// Does the capability of one busy thread follow from the machine file?
#include "model/predict/cpu/capability.hpp"

#include <doctest/doctest.h>

#include "ridge/error.hpp"
#include "tests/predict/machines.hpp"

using namespace ridge;
using namespace ridge::cpu;

TEST_SUITE_BEGIN("formula");

TEST_CASE("rates of one thread out of the file's sums") {
    const Capability c = capability_of(test::round_machine(), 1);
    CHECK(c.clock_hz == doctest::Approx(1e9));
    CHECK(c.fma_per_s.back() == doctest::Approx(1e9));
    CHECK(c.other_per_s.back() == doctest::Approx(2e9));
    CHECK(c.load_slot_bytes == 64);
    CHECK(c.loads_per_s == doctest::Approx(2e9));
    CHECK(c.store_bytes_per_s == doctest::Approx(64e9));
    REQUIRE(c.levels.size() == 3);
    CHECK(c.levels[0].read_bytes_per_s == doctest::Approx(64e9));
    CHECK(c.levels[2].memory);
    CHECK(c.call_s == doctest::Approx(1e-6));
}

TEST_CASE("two threads share memory and nothing else") {
    const Capability c = capability_of(test::round_machine(), 2);
    CHECK(c.fma_per_s.back() == doctest::Approx(1e9));
    CHECK(c.levels[0].read_bytes_per_s == doctest::Approx(64e9));
    CHECK(c.levels[2].read_bytes_per_s == doctest::Approx(4e9));
    CHECK(c.call_s == doctest::Approx(2e-6));
}

TEST_CASE("a machine without ceilings or levels is refused") {
    Machine none = test::round_machine();
    none.compute.clear();
    CHECK_THROWS_AS((void)capability_of(none, 1), Error);
    Machine flat = test::round_machine();
    flat.levels.resize(1);
    CHECK_THROWS_AS((void)capability_of(flat, 1), Error);
}

TEST_SUITE_END();
