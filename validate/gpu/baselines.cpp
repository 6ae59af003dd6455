#include "validate/gpu/baselines.hpp"

#include <algorithm>
#include <cmath>

#include "model/predict/gpu/convolution.hpp"
#include "model/predict/gpu/log_fit.hpp"

namespace ridge::validate::kernels {
namespace {

/// Work in the units of a device: seconds at its peak and at its bandwidth.
struct Seconds2 {
    double compute, memory;
};
Seconds2 ideal(const gpu::Work& work, const gpu::Device& device) {
    // A backward pass that computes both gradients counts twice.
    const double passes = work.pass == Pass::backward && work.kind != gpu::WorkKind::pooling &&
                                  work.kind != gpu::WorkKind::elementwise
                              ? 2
                              : 1;
    return {passes * work_flops(work).value() / gpu::peak_of(work, device),
            passes * work_bytes(work).value() / device.bytes_per_s};
}

/// Relative least squares of c0 + c1 compute + c2 memory, each at least 0.
BaselineConstants regress(const std::vector<gpu::FitRow>& rows, const gpu::Device& device) {
    // Coordinate descent on the normal equations; three non-negative unknowns converge fast.
    double a[3][3] = {}, b[3] = {};
    for (const auto& row : rows) {
        const auto s = ideal(*row.work, device);
        const double x[3] = {1e-6 / row.time_s, s.compute / row.time_s, s.memory / row.time_s};
        for (int i = 0; i < 3; ++i) {
            b[i] += x[i];
            for (int j = 0; j < 3; ++j) a[i][j] += x[i] * x[j];
        }
    }
    BaselineConstants c{1, 1, 1};
    for (int round = 0; round < 2000; ++round)
        for (int i = 0; i < 3; ++i) {
            double rest = b[i];
            for (int j = 0; j < 3; ++j)
                if (j != i) rest -= a[i][j] * c[static_cast<std::size_t>(j)];
            c[static_cast<std::size_t>(i)] = a[i][i] > 0 ? std::max(1e-9, rest / a[i][i]) : 1e-9;
        }
    return c;
}

}  // namespace

std::string_view to_string(Baseline baseline) {
    switch (baseline) {
        case Baseline::roofline:
            return "roofline";
        case Baseline::roofline3:
            return "roofline, 3 constants";
        case Baseline::percentage:
            return "compute + memory";
        case Baseline::regression:
            return "regression";
    }
    return "?";
}

double baseline_time(Baseline baseline, const BaselineConstants& c, const gpu::Work& work,
                     const gpu::Device& device) {
    const auto s = ideal(work, device);
    switch (baseline) {
        case Baseline::roofline:
            return std::max(s.compute, s.memory);
        case Baseline::roofline3:
            return std::max(s.compute / c[0], s.memory / c[1]) + c[2];
        case Baseline::percentage:
            return (s.compute + s.memory) / c[0];
        case Baseline::regression:
            return c[0] * 1e-6 + c[1] * s.compute + c[2] * s.memory;
    }
    return 0;
}

BaselineConstants fit_baseline(Baseline baseline, const gpu::Device& device,
                               const std::vector<gpu::FitRow>& rows) {
    if (baseline == Baseline::roofline || rows.empty()) return {1, 1, 1};
    if (baseline == Baseline::regression) return regress(rows, device);
    gpu::FitTask task;
    task.parameters = {{0.01, 2, 0.7}};
    if (baseline == Baseline::roofline3)
        task.parameters = {{0.01, 2, 0.7}, {0.01, 2, 0.7}, {1e-7, 1e-3, 5e-6}};
    task.iterations = 30;
    task.prior = 0.01;
    for (const auto& row : rows) {
        task.measured_s.push_back(row.time_s);
        task.group.push_back(0);
    }
    const auto constants = [](std::span<const double> v) {
        return BaselineConstants{v[0], v.size() > 1 ? v[1] : 1, v.size() > 2 ? v[2] : 1};
    };
    task.predict = [&](std::size_t i, std::span<const double> v) {
        return baseline_time(baseline, constants(v), *rows[i].work, device);
    };
    return constants(gpu::fit_log(task));
}

BaselineConstants mean_of(Baseline, const std::vector<BaselineConstants>& others) {
    BaselineConstants mean{0, 0, 0};
    for (const auto& c : others)
        for (std::size_t i = 0; i < 3; ++i)
            mean[i] += std::log(c[i]) / static_cast<double>(others.size());
    for (double& m : mean) m = std::exp(m);
    return mean;
}

}  // namespace ridge::validate::kernels
