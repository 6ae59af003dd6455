// Work of a layer against published golden numbers and against a count with loops.

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "model/workload/shapes.hpp"
#include "ridge/layer.hpp"

using namespace ridge;
using workload::Window;

namespace {

/// Taps inside the image, one by one.
std::int64_t count_taps(const Window& w) {
    std::int64_t inside = 0;
    for (std::int64_t o = 0; o < w.o; ++o)
        for (std::int64_t k = 0; k < w.k; ++k) {
            const std::int64_t at = o * w.s - w.p + k * (w.d + 1);
            inside += at >= 0 && at < w.i;
        }
    return inside;
}

std::int64_t count_touched(const Window& w) {
    std::int64_t touched = 0;
    for (std::int64_t i = 0; i < w.i; ++i) {
        bool hit = false;
        for (std::int64_t o = 0; o < w.o; ++o)
            for (std::int64_t k = 0; k < w.k; ++k) hit |= o * w.s - w.p + k * (w.d + 1) == i;
        touched += hit;
    }
    return touched;
}

double flops(const std::string& line, Pass pass = Pass::forward) {
    return useful_flops(parse_layer(line), pass).value();
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("taps inside the image, one dimension: golden values") {
        struct Golden {
            Window window;
            std::int64_t inside, all;
        };
        for (const auto& [w, inside, all] :
             {Golden{{7, 7, 3, 1, 0, 1}, 19, 21}, Golden{{7, 7, 5, 1, 0, 2}, 29, 35},
              Golden{{4, 4, 3, 1, 0, 1}, 10, 12}, Golden{{14, 14, 3, 1, 0, 1}, 40, 42},
              Golden{{24, 24, 3, 1, 0, 1}, 70, 72}, Golden{{56, 56, 3, 1, 0, 1}, 166, 168},
              Golden{{224, 112, 7, 2, 0, 3}, 778, 784}, Golden{{14, 7, 3, 2, 0, 0}, 20, 21},
              Golden{{13, 12, 3, 1, 0, 0}, 35, 36}, Golden{{10, 10, 3, 1, 1, 2}, 26, 30},
              Golden{{1, 1, 3, 1, 0, 1}, 1, 3}}) {
            CHECK(workload::taps_inside(w) == inside);
            CHECK(w.k * w.o == all);
        }
    }

    TEST_CASE("taps and touched inputs equal a count with loops") {
        std::mt19937 random(7);
        const auto pick = [&](std::int64_t low, std::int64_t high) {
            return std::uniform_int_distribution<std::int64_t>(low, high)(random);
        };
        for (int n = 0; n < 3000; ++n) {
            Window w{pick(1, 20), pick(1, 20), pick(1, 7), pick(1, 4), pick(0, 2), pick(0, 6)};
            CAPTURE(n);
            CHECK(workload::taps_inside(w) == count_taps(w));
            CHECK(workload::touched_inputs(w) == count_touched(w));
        }
    }

    TEST_CASE("useful FLOPs: golden values") {
        CHECK(flops("conv:mb2ic16ih7oc16oh7kh5ph2") == 861184);
        CHECK(simple_flops(parse_layer("conv:mb2ic16ih7oc16oh7kh5ph2"), Pass::forward).value() ==
              1254400);
        CHECK(flops("conv:mb1ic3ih224oc64oh112kh7sh2ph3") == 232429056);
        CHECK(simple_flops(parse_layer("conv:mb1ic3ih224oc64oh112kh7sh2ph3"), Pass::forward)
                  .value() == 236027904);
        CHECK(flops("conv:mb32ic3ih224oc32oh112kh3sh2ph1") == 689510400);
        CHECK(flops("conv:g32mb32ic32ih112oc32oh112kh3ph1") == 228466688);
        CHECK(flops("conv:mb1g192ic192oc192ih14iw24oh14ow24kh3ph1") == 1075200);
        CHECK(flops("ip:mb1ic256ih6oc4096") == 75497472);
        CHECK(flops("matmul:4160x3420:3420x1280") == 36421632000.0);
    }

    TEST_CASE("a deconvolution loops over the small image (forward of one is backward_data here)") {
        // mb1 ic3 oc3 ih4 oh6 k3 s2 p2: as a convolution from 6 to 4.
        CHECK(flops("conv:mb1ic3oc3ih6oh4kh3sh2ph2", Pass::backward_data) == 1458);
    }

    TEST_CASE(
        "every pass of a product costs what forward costs; the first layer has no data pass") {
        const Layer linear = parse_layer("ip:mb4ic8oc16");
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights})
            CHECK(useful_flops(linear, pass).value() == 1024);
        CHECK(useful_flops(linear, Pass::update).value() == 4 * (8 * 16 + 16));
    }

    TEST_CASE("minimum bytes: golden values") {
        const Layer conv = parse_layer("conv:mb2ic16ih7oc16oh7kh5ph2");
        CHECK(minimum_bytes(conv, Pass::forward).value() == 38208);
        CHECK(minimum_bytes(conv, Pass::backward_weights).value() == 38208);
        CHECK(minimum_bytes(conv, Pass::backward_data).value() == 38144);
        CHECK((useful_flops(conv, Pass::forward) / minimum_bytes(conv, Pass::forward)).value() ==
              doctest::Approx(22.54).epsilon(0.001));
        CHECK((useful_flops(conv, Pass::backward_data) / minimum_bytes(conv, Pass::backward_data))
                  .value() == doctest::Approx(22.58).epsilon(0.001));
    }

    TEST_CASE("an in-place ReLU moves its tensor twice and holds it once") {
        const Layer relu = parse_layer("eltwise:mb2ic8ih4,inplace=1");
        CHECK(minimum_bytes(relu, Pass::forward).value() == 8 * 256);
        CHECK(footprint(relu, Pass::forward).value() == 4 * 256);
    }

    TEST_CASE("max pooling keeps one byte per output, four for large kernels, averages none") {
        const auto workspace = [](const std::string& line) {
            for (const auto& use : tensors(parse_layer(line), Pass::forward))
                if (use.name == "ws") return use.size.value();
            return 0.0;
        };
        CHECK(workspace("pool:mb1ic64ih112oh56kh3sh2ph0") == 200704);
        CHECK(workspace("pool:mb1ic64ih72oh56kh17sh1ph0") == 802816);
        CHECK(workspace("pool:mb1ic64ih112oh56kh3sh2ph0,alg=avg_np") == 0);
    }

    TEST_CASE("a 1x1 convolution with stride 2 reads a quarter of its source") {
        const Layer conv = parse_layer("conv:mb1ic16ih8oc16oh4kh1sh2ph0,bias=0");
        const double src = 16 * 64 * 4, wei = 16 * 16 * 4, dst = 16 * 16 * 4;
        CHECK(minimum_bytes(conv, Pass::forward).value() == src / 4 + wei + dst);
        CHECK(minimum_bytes(conv, Pass::backward_data).value() == src + wei + dst);
        CHECK(footprint(conv, Pass::forward).value() == src + wei + dst);
        // 64 B per pixel in nhwc: a quarter of the lines; nchw: every line of every second row.
        const Layer wide = parse_layer("conv:mb1ic16ih32oc16oh16kh1sh2ph0,bias=0");
        CHECK(workload::touched_lines_share(wide, workload::Layout::nhwc) == 0.25);
        CHECK(workload::touched_lines_share(wide, workload::Layout::nchw) == 0.5);
    }

    TEST_CASE("the update moves 20 bytes and needs 4 FLOP per parameter") {
        const Layer ip = parse_layer("ip:mb1ic10oc10,bias=0");
        CHECK(minimum_bytes(ip, Pass::update).value() == 20 * 100);
        CHECK(useful_flops(ip, Pass::update).value() == 4 * 100);
    }
}
