// Fits on times that were made with known constants.

#include <doctest/doctest.h>

#include <cmath>

#include "model/predict/gpu/fit.hpp"
#include "model/predict/gpu/log_fit.hpp"
#include "small_gpu.hpp"
#include "validate/gpu/validation.hpp"

using namespace ridge;
using namespace ridge::gpu;
using ridge::test::product;
using ridge::test::small_gpu;

namespace {

std::vector<Work> shapes(std::int64_t seed) {
    std::vector<Work> works;
    std::uint64_t state = static_cast<std::uint64_t>(seed);
    const auto next = [&](std::int64_t low, std::int64_t high) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const double u = static_cast<double>(state >> 11) / 9007199254740992.0;
        return static_cast<std::int64_t>(
            std::exp(std::log(static_cast<double>(low)) +
                     u * std::log(static_cast<double>(high) / static_cast<double>(low))));
    };
    for (int i = 0; i < 150; ++i)
        works.push_back(product(next(16, 8192), next(8, 4096), next(32, 4096)));
    return works;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("a power law is found exactly, an outlier does not move it") {
        FitTask task;
        task.parameters = {{0.1, 10, 1}, {0.1, 4, 1}};
        for (int i = 1; i <= 30; ++i) {
            task.measured_s.push_back(3 * std::pow(i, 1.7) * (i == 11 ? 50 : 1));
            task.group.push_back(0);
        }
        task.predict = [](std::size_t i, std::span<const double> v) {
            return v[0] * std::pow(static_cast<double>(i + 1), v[1]);
        };
        task.prior = 1e-4;
        task.iterations = 60;
        const auto v = fit_log(task);
        CHECK(v[0] == doctest::Approx(3).epsilon(0.02));
        CHECK(v[1] == doctest::Approx(1.7).epsilon(0.01));
    }

    TEST_CASE("parameters stay within their bounds") {
        FitTask task;
        task.parameters = {{1, 2, 1.5}};
        task.prior = 1e-4;
        task.iterations = 60;
        task.measured_s = {100, 100};
        task.group = {0, 0};
        task.predict = [](std::size_t, std::span<const double> v) { return v[0]; };
        const auto v = fit_log(task);
        CHECK(v[0] <= 2);
        CHECK(v[0] > 1.9);
    }

    TEST_CASE("roofline constants of a device that is one") {
        const auto d = small_gpu();
        const auto works = shapes(5);
        std::vector<FitRow> rows;
        for (const auto& w : works)
            rows.push_back(
                {&w,
                 std::max(work_flops(w).value() / 0.8e12, work_bytes(w).value() / 0.6e11) + 2e-5,
                 0});
        using namespace ridge::validate::kernels;
        const auto c = fit_baseline(Baseline::roofline3, d, rows);
        CHECK(c[0] == doctest::Approx(0.8).epsilon(0.03));
        CHECK(c[1] == doctest::Approx(0.6).epsilon(0.1));
        CHECK(c[2] == doctest::Approx(2e-5).epsilon(0.03));
        for (const auto& w : works)
            CHECK(baseline_time(Baseline::roofline, {1, 1, 1}, w, d) >=
                  work_flops(w).value() / 1e12);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("names of kernels and algorithms") {
        using validate::kernels::algorithm_of;
        CHECK(algorithm_of("cudnn_infer_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t") ==
              Kernel::fused_winograd);
        CHECK(algorithm_of("volta_sgemm_64x64_nn") == Kernel::nonfused_winograd);
        CHECK(algorithm_of("cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1") ==
              Kernel::tiled_gemm);
        CHECK(algorithm_of("implicit_convolve_sgemm") == Kernel::tiled_gemm);
        CHECK(algorithm_of("WINOGRAD_NONFUSED") == Kernel::nonfused_winograd);
        CHECK(algorithm_of("FFT_TILING") == Kernel::none);
    }

    TEST_CASE("times made by known constants are predicted on shapes that the fit did not see") {
        std::vector<Device> devices{small_gpu(), small_gpu()};
        devices[1].name = "other";
        devices[1].multiprocessors = 30;
        devices[1].f32_flops_per_s = 4e12;
        devices[1].bytes_per_s = 3e11;
        Constants truth;
        truth[Constant::tile] = 30;
        truth[Constant::prologue] = 60;
        truth[Constant::latency] = 6;
        std::vector<Constants> own{truth, truth};
        own[0][Constant::compute] = 0.7;
        own[1][Constant::compute] = 1.0;
        own[1][Constant::launch] = 1.5e-5;
        const auto seen = shapes(1), unseen = shapes(2);
        std::vector<FitRow> rows;
        for (std::size_t d = 0; d < 2; ++d)
            for (const auto& w : seen)
                rows.push_back({&w, estimate(w, devices[d], own[d]).time_s, d});
        const auto fitted = fit(devices, rows);
        CHECK(fitted.by_device.size() == 2);
        for (std::size_t d = 0; d < 2; ++d) {
            double error = 0;
            const auto c = constants_for(fitted, devices[d]);
            for (const auto& w : unseen)
                error += std::abs(std::log(estimate(w, devices[d], c).time_s /
                                           estimate(w, devices[d], own[d]).time_s));
            CHECK(error / static_cast<double>(unseen.size()) < 0.02);
        }
        // a device never seen gets the means of the others
        auto third = devices[0];
        third.name = "third";
        CHECK(constants_for(fitted, third)[Constant::compute] ==
              doctest::Approx(std::sqrt(0.7)).epsilon(0.05));
    }

    TEST_CASE("a probe sets the device's rate so that the probed row is met") {
        const auto d = small_gpu();
        const Constants shared;
        const Work w = product(4096, 4096, 4096);
        const double measured = 1.4 * estimate(w, d, shared).time_s;
        const auto c = probed(shared, w, measured, d);
        CHECK(estimate(w, d, c).time_s == doctest::Approx(measured).epsilon(0.02));
        CHECK(c[Constant::compute] < shared[Constant::compute]);
    }
}
