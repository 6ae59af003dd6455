// The ceilings themselves: names, kinds of access, capacities, overheads.

#include <doctest/doctest.h>

#include "model/roofline/roofs.hpp"
#include "synthetic.hpp"
#include "tests/machine/small_machine.hpp"

using namespace ridge;
using namespace ridge::test;

TEST_SUITE("formula") {
    TEST_CASE("roofs are sorted, named, and taken at the run's thread count") {
        const auto r = make_roofline(small_machine(), DataType::f32, 2);
        REQUIRE(r.compute.size() == 2);
        CHECK(r.compute[0].name == "AVX-512 FMA");
        CHECK(r.compute[0].rate.value() == doctest::Approx(180e9));
        CHECK(r.compute[0].source == Source::measured);
        CHECK(r.compute[1].name == "AVX2 FMA");
        REQUIRE(r.bandwidth.size() == 4);
        CHECK(r.bandwidth[0].level == "L1");
        CHECK(r.bandwidth[3].level == "DRAM");
        CHECK(r.bandwidth[0].capacity->value() == 2 * 32768);
        CHECK(r.bandwidth[2].capacity->value() == 6 * 1048576);
        CHECK(r.bandwidth[0].ridge->value() == doctest::Approx(180e9 / 400e9));
        // parallel region between 0.1 us (1) and 4 us (4), plus the empty primitive
        CHECK(r.call_overhead->value() == doctest::Approx(1.4e-6 + 1e-6));
    }

    TEST_CASE("a data type without ceilings has bandwidth roofs and no ridge") {
        const auto r = make_roofline(small_machine(), DataType::bf16, 1);
        CHECK(r.compute.empty());
        CHECK(r.bandwidth.size() == 4);
        CHECK_FALSE(r.bandwidth[3].ridge);
    }

    TEST_CASE("what the file does not know is absent") {
        auto m = small_machine();
        m.overheads = {};
        m.levels[3].capacity_bytes.reset();
        m.levels[1].bandwidths.clear();
        const auto r = make_roofline(m, DataType::f32, 1);
        CHECK_FALSE(r.call_overhead);
        CHECK(r.bandwidth.size() == 3);
        CHECK_FALSE(r.bandwidth[2].capacity);
    }

    TEST_CASE("a mix is held against its own kind, or the faster of the two around it") {
        BandwidthRoof roof;
        roof.kinds = {{AccessKind::read, false, BytesPerSecond(30e9)},
                      {AccessKind::triad, false, BytesPerSecond(22e9)},
                      {AccessKind::copy, false, BytesPerSecond(18e9)},
                      {AccessKind::copy, true, BytesPerSecond(24e9)},
                      {AccessKind::write, false, BytesPerSecond(12e9)}};
        const auto at = [&](double share) { return ceiling_for_mix(roof, share); };
        CHECK(at(0).name == "read");
        CHECK(at(1.0 / 3).name == "triad");
        CHECK(at(0.5).name == "copy (non-temporal)");
        CHECK(at(0.5).rate.value() == 24e9);
        CHECK(at(1).name == "write");
        CHECK(at(0.2).name == "read");
        CHECK(at(0.4).name == "copy (non-temporal)");
        CHECK(at(0.8).name == "copy (non-temporal)");
    }

    TEST_CASE("a mixture whose time per byte lies between two kinds never beats its ceiling") {
        BandwidthRoof roof;
        roof.kinds = {{AccessKind::read, false, BytesPerSecond(30e9)},
                      {AccessKind::copy, false, BytesPerSecond(18e9)},
                      {AccessKind::write, false, BytesPerSecond(20e9)}};
        for (double share = 0; share <= 1.0001; share += 0.01) {
            const double left = share < 0.5 ? 30e9 : 18e9, right = share < 0.5 ? 18e9 : 20e9;
            const double weight = share < 0.5 ? share / 0.5 : (share - 0.5) / 0.5;
            const double rate = 1 / ((1 - weight) / left + weight / right);
            CHECK(ceiling_for_mix(roof, share).rate.value() >= rate * (1 - 0.02));
        }
    }

    TEST_CASE("a file with one kind holds everything against it") {
        BandwidthRoof roof;
        roof.kinds = {{AccessKind::copy, false, BytesPerSecond(18e9)}};
        for (const double share : {0.0, 0.3, 0.5, 1.0})
            CHECK(ceiling_for_mix(roof, share).rate.value() == 18e9);
    }
}
