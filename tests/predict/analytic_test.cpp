// Does the analytic twin count what can be counted by hand?
#include "model/predict/cpu/analytic_demand.hpp"

#include <doctest/doctest.h>

#include "model/predict/cpu/kernel_class.hpp"

using namespace ridge;
using namespace ridge::cpu;

namespace {

PassDemand of(const char* line, Pass pass, int threads = 1) {
    return analytic_demand(parse_layer(line), pass, {}, threads);
}

}  // namespace

TEST_SUITE_BEGIN("formula");

TEST_CASE("multiply-adds of a convolution are the useful ones where no channel is padded") {
    const char* line = "conv:mb2ic64ih56oc64oh56kh3ph1";
    // Taps inside the image: (3 * 56 - 2)^2.
    const double useful = 2.0 * 2 * 64 * 64 * 166 * 166;
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        const PassDemand d = of(line, pass);
        CHECK(d.useful.value() == doctest::Approx(useful));
        CHECK(d.fma.back() * 32 == doctest::Approx(useful));
    }
}

TEST_CASE("channels are padded to blocks of 16, the few of a first layer are not") {
    const double useful = 2.0 * 2 * 17 * 23 * 7 * 7;
    CHECK(of("conv:mb2ic17ih7oc23oh7kh1ph0", Pass::forward).fma.back() * 32 ==
          doctest::Approx(useful * 32 * 32 / (17.0 * 23)));
    const PassDemand first = of("conv:mb1ic3ih8oc16oh8kh1ph0", Pass::forward);
    CHECK(first.fma.back() * 32 == doctest::Approx(2.0 * 3 * 16 * 64));
}

TEST_CASE("depthwise convolution: one vector of groups") {
    const PassDemand d = of("conv:mb1g32ic32oc32ih8oh8kh1ph0", Pass::forward);
    CHECK(d.fma.back() == doctest::Approx(64 * 2));
    CHECK(d.broadcasts == 0);
}

TEST_CASE("streams read and write their tensors once") {
    const PassDemand d = of("eltwise:mb16ic64ih56", Pass::forward);
    const double bytes = 16.0 * 64 * 56 * 56 * 4;
    CHECK(d.distinct_read.value() == doctest::Approx(bytes));
    CHECK(d.distinct_written.value() == doctest::Approx(bytes));
    // Larger than L2: all of it passes both boundaries, the written lines are read first.
    CHECK(d.levels[1].read.value() == doctest::Approx(2 * bytes));
    CHECK(d.levels[1].written.value() == doctest::Approx(bytes));
    const PassDemand small = of("eltwise:mb1ic16ih8", Pass::forward);
    CHECK(small.levels[0].read.value() == 0);
}

TEST_CASE("products stream their weights once for a batch of one") {
    const PassDemand d = of("ip:mb1ic4096oc1024", Pass::forward);
    CHECK(d.fma.back() * 32 == doctest::Approx(2.0 * 4096 * 1024));
    CHECK(d.levels[1].read.value() >= 4.0 * 4096 * 1024);
    CHECK(d.levels[1].read.value() < 4.3 * 4096 * 1024);
}

TEST_CASE("uneven pieces: the busiest thread has one more") {
    CHECK(busiest_share(4, 2) == doctest::Approx(0.5));
    CHECK(busiest_share(3, 2) == doctest::Approx(2.0 / 3));
    CHECK(busiest_share(1, 2) == 1);
    CHECK(busiest_share(7, 3) == doctest::Approx(3.0 / 7));
}

TEST_CASE("classes name what chooses a kernel") {
    CHECK(class_of(parse_layer("conv:mb1ic64ih56oc64oh56kh3ph1"), Pass::forward) ==
          "conv direct forward");
    CHECK(class_of(parse_layer("conv:mb1ic64ih56oc64oh28kh1sh2ph0"), Pass::backward_data) ==
          "conv 1x1 strided backward_data");
    CHECK(family_of(LayerKind::convolution, Pass::update) == Family::other);
}

TEST_SUITE_END();
