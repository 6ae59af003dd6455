// Rates and capacities at thread counts between and beyond those of the file.

#include <doctest/doctest.h>

#include "small_machine.hpp"

using namespace ridge;
using ridge::test::small_machine;

TEST_SUITE("formula") {
    TEST_CASE("the peak is the highest ceiling of the data type") {
        const auto m = small_machine();
        CHECK(peak(m, DataType::f32, 1)->value() == doctest::Approx(100e9));
        CHECK_FALSE(peak(m, DataType::bf16, 1));
    }

    TEST_CASE("ceilings are linear between probed counts and constant above") {
        const auto m = small_machine();
        CHECK(peak(m, DataType::f32, 2)->value() == doctest::Approx(180e9));
        CHECK(peak(m, DataType::f32, 3)->value() == doctest::Approx(260e9));
        CHECK(peak(m, DataType::f32, 9)->value() == doctest::Approx(340e9));
        CHECK(ceiling(m, Isa::avx2, true, DataType::f32, 4)->value() == doctest::Approx(50e9));
        CHECK_FALSE(ceiling(m, Isa::avx2, false, DataType::f32, 1));
    }

    TEST_CASE("below the smallest probed count compute is proportional") {
        auto m = small_machine();
        m.compute.erase(m.compute.begin(), m.compute.begin() + 2);  // leaves 4 threads
        CHECK(peak(m, DataType::f32, 1)->value() == doctest::Approx(85e9));
    }

    TEST_CASE("below the smallest probed count a shared level keeps its value") {
        auto m = small_machine();
        for (auto& level : m.levels) level.bandwidths.erase(level.bandwidths.begin());
        CHECK(bandwidth(m.levels[1], AccessKind::read, 1)->value() == doctest::Approx(80e9));
        CHECK(bandwidth(m.levels[2], AccessKind::read, 1)->value() == doctest::Approx(120e9));
        CHECK(bandwidth(m.levels[3], AccessKind::read, 1)->value() == doctest::Approx(24e9));
    }

    TEST_CASE("ordinary and non-temporal stores are different figures") {
        const auto m = small_machine();
        CHECK(bandwidth(m.levels[3], AccessKind::copy, 1, false)->value() == 8e9);
        CHECK(bandwidth(m.levels[3], AccessKind::copy, 1, true)->value() == 9e9);
        CHECK_FALSE(bandwidth(m.levels[3], AccessKind::triad, 1));
    }

    TEST_CASE("private levels count once a thread, shared ones once") {
        const auto m = small_machine();
        CHECK(usable_capacity(m, m.levels[0], 3)->value() == 3 * 32768);
        CHECK(usable_capacity(m, m.levels[1], 4)->value() == 4 * 1048576);
        CHECK(usable_capacity(m, m.levels[2], 4)->value() == 6 * 1048576);  // effective
        CHECK(usable_capacity(m, m.levels[3], 4)->value() == 16.0 * (1 << 30));
    }

    TEST_CASE("hardware threads of one core share its private level, sockets have one L3 each") {
        auto m = small_machine();
        m.sockets = 2;
        m.cores = 8;
        m.threads = 16;
        m.levels[1].shared_by = 2;
        m.levels[2].shared_by = 8;
        CHECK(usable_capacity(m, m.levels[1], 1)->value() == 1048576);
        CHECK(usable_capacity(m, m.levels[1], 8)->value() == 8 * 1048576);
        CHECK(usable_capacity(m, m.levels[1], 16)->value() == 8 * 1048576);
        CHECK(usable_capacity(m, m.levels[2], 4)->value() == 6 * 1048576);
        CHECK(usable_capacity(m, m.levels[2], 5)->value() == 12 * 1048576);
    }

    TEST_CASE("28 cores x 2 units x 16 lanes x 2 x 1.8 GHz") {
        Machine m = small_machine();
        m.cores = m.threads = 28;
        m.compute = {
            {Isa::avx512, true, DataType::f32, 28, test::given(28.0 * 2 * 16 * 2 * 1.8e9), {}, {}}};
        CHECK(peak(m, DataType::f32, 28)->value() == doctest::Approx(3225.6e9));
    }
}
