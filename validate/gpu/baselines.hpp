// What a kernel model must beat, fitted on the same rows: plain roofline, roofline with three
// constants of the device, compute plus memory at one percentage, linear regression.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/predict/gpu/fit.hpp"

namespace ridge::validate::kernels {

enum class Baseline { roofline, roofline3, percentage, regression };
inline constexpr std::array all_baselines{Baseline::roofline, Baseline::roofline3,
                                          Baseline::percentage, Baseline::regression};
[[nodiscard]] std::string_view to_string(Baseline baseline);

/// Constants of one baseline on one device; their meaning is the baseline's.
using BaselineConstants = std::array<double, 3>;

[[nodiscard]] BaselineConstants fit_baseline(Baseline baseline, const gpu::Device& device,
                                             const std::vector<gpu::FitRow>& rows);
/// Predicted time, s; always positive.
[[nodiscard]] double baseline_time(Baseline baseline, const BaselineConstants& constants,
                                   const gpu::Work& work, const gpu::Device& device);
/// Constants for a device without rows: geometric means over others (regression: scaled to the
/// devices' peak and bandwidth).
[[nodiscard]] BaselineConstants mean_of(Baseline baseline,
                                        const std::vector<BaselineConstants>& others);

}  // namespace ridge::validate::kernels
