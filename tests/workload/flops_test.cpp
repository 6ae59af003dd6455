// Work of a layer against published golden numbers and against a count with loops.

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

#include "model/workload/shapes.hpp"
#include "ridge/error.hpp"
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

/// Taps that lie inside the image for any output.
std::int64_t count_used_taps(const Window& w) {
    std::int64_t used = 0;
    for (std::int64_t k = 0; k < w.k; ++k) {
        bool hit = false;
        for (std::int64_t o = 0; o < w.o; ++o) {
            const std::int64_t at = o * w.s - w.p + k * (w.d + 1);
            hit |= at >= 0 && at < w.i;
        }
        used += hit;
    }
    return used;
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
            Window w{pick(1, 20), pick(1, 20), pick(1, 7), pick(1, 5), pick(0, 5), pick(0, 6)};
            CAPTURE(n);
            CHECK(workload::taps_inside(w) == count_taps(w));
            CHECK(workload::touched_inputs(w) == count_touched(w));
            CHECK(workload::used_taps(w) == count_used_taps(w));
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
        CHECK(2 * 3 * 3 * workload::taps_inside({6, 4, 3, 2, 0, 2}) *
                  workload::taps_inside({6, 4, 3, 2, 0, 2}) ==
              1458);
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
        CHECK(workspace("pool:mb1ic1ih15oh1kh15iw17ow1kw17ph0") == 1);
        CHECK(workspace("pool:mb1ic1ih16oh1kh16ph0") == 4);
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
        const double whole = 16 * 32 * 32 * 4;
        CHECK(source_line_bytes(wide, Layout::nhwc).value() == whole / 4);
        CHECK(source_line_bytes(wide, Layout::nchw).value() == whole / 2);
        CHECK(source_line_bytes(wide, Layout::nChw16c).value() == whole / 4);
        CHECK_THROWS_AS((void)source_line_bytes(parse_layer("bnorm:ic8ih4"), Layout::nchw), Error);
    }

    TEST_CASE("taps that meet padding only need no weights") {
        // 3x3 on one pixel: one tap of nine.
        const Layer conv = parse_layer("conv:mb1ic4ih1oc8oh1kh3ph1,bias=0");
        CHECK(useful_flops(conv, Pass::forward).value() == 2 * 4 * 8);
        CHECK(minimum_bytes(conv, Pass::forward).value() == 4 * (4 + 4 * 8 + 8));
        CHECK(minimum_bytes(conv, Pass::backward_weights).value() == 4 * (4 + 9 * 4 * 8 + 8));
    }

    TEST_CASE("the update moves 20 bytes and needs 4 FLOP per parameter") {
        for (const char* line : {"ip:mb1ic10oc10", "conv:mb1ic3ih8oc4kh3", "bnorm:mb1ic7ih3"}) {
            const Layer layer = parse_layer(line);
            const auto count = static_cast<double>(parameters(layer));
            CHECK(count > 0);
            CHECK(minimum_bytes(layer, Pass::update).value() == 20 * count);
            CHECK(useful_flops(layer, Pass::update).value() == 4 * count);
        }
    }

    TEST_CASE("kinds without a product: operations and bytes as docs/model.md defines them") {
        struct Golden {
            const char* line;
            Pass pass;
            double flops, bytes;
        };
        constexpr double n = 2 * 8 * 4 * 4, c = 8, tensor = 4 * n;
        for (const auto& [line, pass, operations, bytes] : {
                 Golden{"eltwise:2x8x4x4", Pass::forward, 0, 2 * tensor},
                 {"eltwise:2x8x4x4", Pass::backward, 0, 3 * tensor},
                 {"eltwise:2x8x4x4,inplace=1", Pass::backward, 0, 3 * tensor},
                 {"eltwise:2x8x4x4,alg=tanh", Pass::forward, n, 2 * tensor},
                 {"eltwise:2x8x4x4,alg=logistic", Pass::backward, 3 * n, 3 * tensor},
                 {"bnorm:mb2ic8ih4", Pass::forward, 7 * n, 2 * tensor + 4 * 4 * c},
                 {"bnorm:mb2ic8ih4", Pass::backward, 9 * n, 3 * tensor + 6 * 4 * c},
                 // Windows of 3 channels: 22 of 24 elements lie inside the 8 channels.
                 {"lrn:mb2ic8ih4ls3", Pass::forward, 2 * 16 * 22 + 4 * n, 2 * tensor},
                 {"lrn:mb2ic8ih4ls3", Pass::backward, 2 * 16 * 22 + 6 * n, 3 * tensor},
                 // Windows of 3 x 3 pixels in 4 x 4: 10 of 12 inside per dimension.
                 {"lrn:mb2ic8ih4ls3,alg=within", Pass::forward, 2 * 8 * 100 + 4 * n, 2 * tensor},
                 {"softmax:2x10", Pass::forward, 80, 160},
                 {"softmax:2x10", Pass::backward, 80, 240},
                 {"softmax:2x10,loss=1", Pass::forward, 84, 168},
                 {"softmax:2x10,loss=1", Pass::backward, 22, 168},
                 {"sum:2x8x4x4,inputs=3", Pass::forward, 2 * n, 4 * tensor},
                 {"concat:2x3x4x4:2x5x4x4", Pass::forward, 0, 2 * tensor},
                 {"concat:2x3x4x4:2x5x4x4", Pass::backward, 0, 2 * tensor},
                 {"split:2x8x4x4,inputs=3", Pass::backward, 2 * n, 4 * tensor},
                 {"dropout:2x8x4x4", Pass::forward, n, 2 * tensor + n},
                 {"dropout:2x8x4x4,inplace=1", Pass::backward, n, 2 * tensor + n},
                 {"reorder:mb2ic8ih4", Pass::forward, 0, 2 * tensor},
                 // A reorder belongs to whatever pass needs the other format.
                 {"reorder:mb2ic8ih4", Pass::backward_data, 0, 2 * tensor},
                 {"reorder:mb2ic8ih4", Pass::backward, 0, 2 * tensor},
                 {"pool:mb2ic8ih4kh2sh2", Pass::forward, 0, 1.25 * tensor + n / 4},
                 {"pool:mb2ic8ih4kh2sh2", Pass::backward, n / 4, 1.25 * tensor + n / 4},
                 // Global average: 15 additions and a quotient; backward scales and copies.
                 {"pool:mb2ic8ih4kh4,alg=avg_np", Pass::forward, n, tensor + 64},
                 {"pool:mb2ic8ih4kh4,alg=avg_np", Pass::backward, n / 16, tensor + 64},
                 // A stride larger than the kernel reads a quarter and zeroes the rest of diff_src.
                 {"pool:mb2ic8ih4kh1sh2,alg=avg_np", Pass::forward, n / 4, tensor / 2},
                 {"pool:mb2ic8ih4kh1sh2,alg=avg_np", Pass::backward, n / 4, 1.25 * tensor},
             }) {
            CAPTURE(line);
            CAPTURE(to_string(pass));
            const Layer layer = parse_layer(line);
            CHECK(useful_flops(layer, pass).value() == operations);
            CHECK(minimum_bytes(layer, pass).value() == bytes);
        }
    }

    TEST_CASE("bf16 halves what is stored in the layer's type") {
        const Layer conv = parse_layer("conv:mb2ic16ih7oc16oh7kh5ph2,dtype=bf16");
        CHECK(minimum_bytes(conv, Pass::forward).value() == 38208 / 2);
        CHECK(minimum_bytes(conv, Pass::update).value() == 10 * (16 * 16 * 25 + 16));
        // Statistics, scale and shift stay f32.
        const Layer bnorm = parse_layer("bnorm:mb2ic8ih4,dtype=bf16");
        CHECK(minimum_bytes(bnorm, Pass::forward).value() == 2 * 2 * 256 + 4 * 4 * 8);
    }

    TEST_CASE("a pass that a layer does not have costs nothing") {
        const Layer conv = parse_layer("conv:mb1ic3ih8oc4kh3"), relu = parse_layer("eltwise:2x8");
        CHECK(useful_flops(conv, Pass::backward).value() == 0);
        CHECK(minimum_bytes(relu, Pass::update).value() == 0);
        CHECK(tensors(relu, Pass::backward_weights).empty());
        CHECK(footprint(relu, Pass::backward_data).value() == 0);
    }
}

TEST_SUITE("reference") {
    TEST_CASE("random convolutions: work and least traffic equal a count of every tap") {
        std::mt19937 random(3);
        const auto pick = [&](int low, int high) {
            return std::uniform_int_distribution<int>(low, high)(random);
        };
        int checked = 0;
        while (checked < 300) {
            Layer layer;
            Dims& d = layer.dims;
            d.mb = pick(1, 2), d.g = pick(1, 2), d.ic = d.g * pick(1, 3), d.oc = d.g * pick(1, 3);
            d.ih = pick(1, 9), d.iw = pick(1, 9), d.kh = pick(1, 4), d.kw = pick(1, 4);
            d.sh = pick(1, 4), d.sw = pick(1, 4), d.dh = pick(0, 2), d.dw = pick(0, 2);
            d.ph = pick(0, 3), d.pw = pick(0, 3);
            layer.bias = false;
            const auto output = [](auto i, auto k, auto s, auto dil, auto p) {
                const auto span = i + 2 * p - ((k - 1) * (dil + 1) + 1);
                return span < 0 ? 0 : span / s + 1;
            };
            d.oh = output(d.ih, d.kh, d.sh, d.dh, d.ph);
            d.ow = output(d.iw, d.kw, d.sw, d.dw, d.pw);
            if (d.oh < 1 || d.ow < 1) continue;
            ++checked;

            double products = 0;
            std::set<std::int64_t> source, weights;
            for (std::int64_t n = 0; n < d.mb; ++n)
                for (std::int64_t oc = 0; oc < d.oc; ++oc)
                    for (std::int64_t y = 0; y < d.oh; ++y)
                        for (std::int64_t x = 0; x < d.ow; ++x)
                            for (std::int64_t c = 0; c < d.ic / d.g; ++c)
                                for (std::int64_t ky = 0; ky < d.kh; ++ky)
                                    for (std::int64_t kx = 0; kx < d.kw; ++kx) {
                                        const auto ih = y * d.sh - d.ph + ky * (d.dh + 1);
                                        const auto iw = x * d.sw - d.pw + kx * (d.dw + 1);
                                        if (ih < 0 || ih >= d.ih || iw < 0 || iw >= d.iw) continue;
                                        const auto ic = oc / (d.oc / d.g) * (d.ic / d.g) + c;
                                        ++products;
                                        source.insert(((n * d.ic + ic) * d.ih + ih) * d.iw + iw);
                                        weights.insert(((oc * d.ic + ic) * d.kh + ky) * d.kw + kx);
                                    }
            CAPTURE(to_line(layer));
            const auto src = static_cast<double>(source.size()),
                       wei = static_cast<double>(weights.size());
            const auto dst = static_cast<double>(d.mb * d.oc * d.oh * d.ow);
            CHECK(useful_flops(layer, Pass::forward).value() == 2 * products);
            CHECK(useful_flops(layer, Pass::backward_data).value() == 2 * products);
            CHECK(useful_flops(layer, Pass::backward_weights).value() == 2 * products);
            CHECK(minimum_bytes(layer, Pass::forward).value() ==
                  doctest::Approx(4 * (src + wei + dst)));
            CHECK(minimum_bytes(layer, Pass::backward_data).value() ==
                  doctest::Approx(4 * (dst + wei) +
                                  4.0 * static_cast<double>(d.mb * d.ic * d.ih * d.iw)));

            std::set<std::int64_t> nchw, nhwc;
            for (const std::int64_t at : source) {
                nchw.insert(at * 4 / 64);
                const auto w = at % d.iw, h = at / d.iw % d.ih, c = at / d.iw / d.ih % d.ic,
                           n = at / d.iw / d.ih / d.ic;
                nhwc.insert((((n * d.ih + h) * d.iw + w) * d.ic + c) * 4 / 64);
            }
            CHECK(source_line_bytes(layer, Layout::nchw).value() ==
                  64.0 * static_cast<double>(nchw.size()));
            CHECK(source_line_bytes(layer, Layout::nhwc).value() ==
                  64.0 * static_cast<double>(nhwc.size()));
        }
    }
}
