#include "ridge/units.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace ridge;

namespace {

template <class A, class B>
concept addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept comparable = requires(A a, B b) { a < b; };

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("unlike quantities do not mix") {
        static_assert(addable<Seconds, Seconds>);
        static_assert(!addable<Seconds, Bytes>);
        static_assert(!addable<BytesPerSecond, FlopsPerSecond>);
        static_assert(!comparable<Seconds, Hertz>);
        static_assert(!std::is_convertible_v<double, Seconds>);
        static_assert(!std::is_convertible_v<Seconds, double>);
        static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(2)), double>);
        CHECK(Seconds(1) / Seconds(2) == 0.5);
    }

    TEST_CASE("rates, times and ridge points") {
        CHECK((Bytes(1073741824) / Seconds(1)).value() == 1073741824.0);
        CHECK((Flops(178e9) / Seconds(2)).value() == 89e9);
        CHECK((Bytes(23e9) / BytesPerSecond(11.5e9)).value() == 2.0);
        CHECK((Flops(89e9) / FlopsPerSecond(178e9)).value() == 0.5);
        // 178 GFLOP/s over 11.5 GB/s meet at 15.478 FLOP/B, and there both ceilings agree.
        const FlopsPerByte ridge = FlopsPerSecond(178e9) / BytesPerSecond(11.5e9);
        CHECK(ridge.value() == doctest::Approx(15.47826087));
        CHECK((ridge * BytesPerSecond(11.5e9)).value() == doctest::Approx(178e9));
    }

    TEST_CASE("arithmetic within one unit") {
        Seconds t(3);
        t += Seconds(2);
        t -= Seconds(1);
        CHECK(t == Seconds(4));
        CHECK(2.0 * t == t * 2.0);
        CHECK(t / 8.0 == Seconds(0.5));
        CHECK(Seconds(1) < Seconds(2));
        CHECK(Seconds() == Seconds(0));
    }
}
