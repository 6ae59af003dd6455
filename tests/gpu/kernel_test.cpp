// Tiles, waves, traffic and algorithms of GPU kernels against closed forms and naive counts.

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "model/predict/gpu/convolution.hpp"
#include "model/predict/gpu/predict.hpp"
#include "model/predict/gpu/tiled_gemm.hpp"
#include "small_gpu.hpp"

using namespace ridge;
using namespace ridge::gpu;
using ridge::test::product;
using ridge::test::small_gpu;

namespace {

/// Constants under which only the named physics is left: full rates, nothing fixed.
Constants ideal() {
    Constants c;
    c[Constant::compute] = 1;
    c[Constant::bandwidth] = 1;
    c[Constant::launch] = 1e-7;
    c[Constant::prologue] = 0;
    c[Constant::tile] = 1e-9;
    c[Constant::latency] = 1e-3;
    c[Constant::l2] = 1e9;
    c[Constant::unaligned] = 1;
    c[Constant::tail] = 1;
    return c;
}

GemmProblem problem(double m, double n, double k, const Device& d) {
    GemmProblem p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.peak_flops_per_s = d.f32_flops_per_s;
    p.may_split = false;
    return p;
}

constexpr std::array square{Tile{128, 128, 256}};

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("a full wave runs at the peak, one block more costs another round") {
        const auto d = small_gpu();
        const auto c = ideal();
        // 128 x 128 with 1.8 registers a result: 2 blocks a multiprocessor, 20 at once.
        const auto full = tiled_gemm(problem(128 * 20, 128, 1024, d), square, d, c, {});
        CHECK(full.waves == doctest::Approx(1));
        CHECK(full.compute_s == doctest::Approx(2.0 * 128 * 20 * 128 * 1024 / 1e12));
        const auto more = tiled_gemm(problem(128 * 21, 128, 1024, d), square, d, c, {});
        // The 21st block is alone on its multiprocessor, which needs one block's time for it.
        CHECK(more.compute_s == doctest::Approx(full.compute_s * 1.5));
        Switches smooth;
        smooth.waves = false;
        CHECK(tiled_gemm(problem(128 * 21, 128, 1024, d), square, d, c, smooth).compute_s ==
              doctest::Approx(full.compute_s * 21 / 20));
    }

    TEST_CASE("sizes are padded to tiles and to the granule of K") {
        const auto d = small_gpu();
        const auto e = tiled_gemm(problem(129, 1, 9, d), square, d, ideal(), {});
        CHECK(e.executed_flops == 2.0 * 256 * 128 * 16);
    }

    TEST_CASE("latency: few threads reach their share, many the whole") {
        CHECK(latency_share(1, 64, 4) == doctest::Approx(1.0 / 256).epsilon(1e-6));
        CHECK(latency_share(1e6, 64, 4) == doctest::Approx(1).epsilon(1e-6));
        CHECK(latency_share(256, 64, 4) == doctest::Approx(std::cbrt(0.5)));
    }

    TEST_CASE("an L2 that holds everything leaves the compulsory bytes") {
        auto d = small_gpu();
        d.l2_bytes = 1e18;
        const auto e = tiled_gemm(problem(1024, 2048, 512, d), square, d, ideal(), {});
        CHECK(e.dram_bytes == doctest::Approx(4.0 * (1024 * 512 + 512 * 2048 + 1024 * 2048)));
    }

    TEST_CASE("without L2 each rectangle of a wave reads its rows and columns: naive count") {
        auto d = small_gpu();
        d.l2_bytes = 1;
        d.multiprocessors = 8;  // 2 blocks each: 16 at once, rectangles of 4 x 4
        const double m = 128 * 8, n = 128 * 12, k = 256;
        double bytes = 4 * m * n;
        for (int row = 0; row < 8; row += 4)
            for (int col = 0; col < 12; col += 4) bytes += 4 * k * (4 * 128 + 4 * 128);
        const auto e = tiled_gemm(problem(m, n, k, d), square, d, ideal(), {});
        CHECK(e.dram_bytes == doctest::Approx(bytes));
    }

    TEST_CASE("blocks that drift apart share nothing when L2 is tiny: every block reads its own") {
        auto d = small_gpu();
        d.l2_bytes = 1;
        auto p = problem(128 * 8, 128 * 12, 256, d);
        p.a_along_k = true;
        const auto e = tiled_gemm(p, square, d, ideal(), {});
        const double own = 4.0 * 256 * (128 + 128) * 8 * 12 + 4 * p.m * p.n;
        CHECK(e.dram_bytes == doctest::Approx(own).epsilon(1e-4));
    }

    TEST_CASE("blocks of fused Winograd: 32 tiles of 2 x 2 outputs by 32 channels") {
        // 16 x 16 outputs are 8 x 8 tiles: two blocks of 4 x 8
        CHECK(fused_winograd_blocks(1, 32, 16, 16, true) == 2);
        CHECK(fused_winograd_blocks(1, 33, 16, 16, true) == 4);
        // 7 x 7: 4 x 4 tiles; one variant leaves half of a block empty, 2 images fill another
        CHECK(fused_winograd_blocks(2, 32, 7, 7, true) == 2);
        CHECK(fused_winograd_blocks(2, 32, 7, 7, false) == 1);
        // never fewer than the outputs need
        for (int n = 1; n < 9; ++n)
            for (int size = 1; size < 40; ++size) {
                const double tiles = n * std::ceil(size / 2.0) * std::ceil(size / 2.0);
                CHECK(fused_winograd_blocks(n, 32, size, size, false) * 32 >= tiles);
            }
    }

    TEST_CASE("what stays in L2 between calls: as many copies as fill it") {
        auto d = small_gpu();
        d.l2_bytes = 100e6;
        auto c = ideal();
        c[Constant::resident] = 1;
        Work w = product(1000, 1, 1000);      // 4 MB of weights
        CHECK(resident_share(w, d, c) == 0);  // nothing promised
        w.most_copies = 5;                    // 20 MB of 100
        CHECK(resident_share(w, d, c) == 1);
        w = product(6000, 1, 1000);  // 24 MB: ceil(100 / 24) = 5 copies are 120 MB
        w.most_copies = 5;
        CHECK(resident_share(w, d, c) == 0);
        w.most_copies = 1;
        CHECK(resident_share(w, d, c) == 1);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("no prediction beats peak or compulsory traffic") {
        const auto d = small_gpu();
        const auto c = ideal();
        Switches s;
        s.winograd = false;
        for (const std::int64_t m : {1, 17, 128, 1000})
            for (const std::int64_t n : {1, 33, 512})
                for (const std::int64_t k : {1, 100, 5000}) {
                    const Work w = product(m, n, k);
                    const auto e = estimate(w, d, c, s);
                    CHECK(e.time_s >= work_flops(w).value() / 1e12);
                    CHECK(e.time_s >= work_bytes(w).value() / 1e11);
                }
    }

    TEST_CASE("Winograd runs fewer FLOPs, and only where the library's version has it") {
        auto d = small_gpu();
        Work w;
        w.kind = WorkKind::convolution;
        w.dims = {32, 1, 256, 256, 28, 28, 28, 28, 3, 3, 1, 1, 0, 0, 1, 1};
        w.stack = {8.0, 6.0, true};
        const auto with = estimate(w, d, ideal());
        CHECK(with.executed_flops < work_flops(w).value());
        CHECK((with.kernel == Kernel::fused_winograd || with.kernel == Kernel::nonfused_winograd));
        w.stack.cudnn = 4;
        const auto without = estimate(w, d, ideal());
        CHECK(without.kernel == Kernel::tiled_gemm);
        CHECK(without.executed_flops >= work_flops(w).value());
        w.stack.cudnn = 6;
        w.dims.sh = w.dims.sw = 2;
        w.dims.oh = w.dims.ow = 14;
        CHECK(estimate(w, d, ideal()).kernel == Kernel::tiled_gemm);
    }

    TEST_CASE("a data gradient for three channels does not pay for a tile of them") {
        const auto d = small_gpu();
        Work w;
        w.kind = WorkKind::convolution;
        w.pass = Pass::backward_data;
        w.dims = {16, 1, 3, 64, 224, 224, 224, 224, 7, 7, 1, 1, 0, 0, 3, 3};
        CHECK(estimate(w, d, ideal()).kernel == Kernel::direct);
        w.dims.ic = 64;
        CHECK(estimate(w, d, ideal()).kernel == Kernel::tiled_gemm);
    }

    TEST_CASE("more work never takes less time") {
        const auto d = small_gpu();
        const Constants c;
        Work w;
        w.kind = WorkKind::convolution;
        w.dims = {1, 1, 64, 64, 56, 56, 56, 56, 3, 3, 1, 1, 0, 0, 1, 1};
        double last = 0;
        for (std::int64_t batch = 1; batch <= 256; batch *= 2) {
            w.dims.mb = batch;
            const double time = estimate(w, d, c).time_s;
            CHECK(time >= last);
            last = time;
        }
    }

    TEST_CASE("the board's power bounds the rate") {
        auto d = small_gpu();
        auto c = ideal();
        c[Constant::energy] = 1e-11;
        d.power_w = 1;  // 0.1 TFLOP/s
        const Work w = product(2560, 2560, 2560);
        CHECK(estimate(w, d, c).time_s >= work_flops(w).value() / 1e11);
    }
}
