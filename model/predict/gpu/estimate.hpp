// The time of one kernel call by the model, taken apart into what it is made of.
#pragma once

#include <array>
#include <cstdint>

#include "model/predict/gpu/constants.hpp"
#include "model/predict/gpu/device.hpp"

namespace ridge::gpu {

enum class Kernel {
    none,
    tiled_gemm,         ///< matrix product, or implicit GEMM of a convolution
    fused_winograd,     ///< F(2x2, 3x3), one kernel
    nonfused_winograd,  ///< F(4x4, 3x3) or F(5x5): transforms and a batched product
    direct,             ///< one thread an output, for few channels
    streaming,          ///< element-wise, pooling, normalization
};
[[nodiscard]] const char* to_string(Kernel kernel);

/// SI units. time^3 = compute^3 + dram^3 + l2^3 + power^3, plus fixed: a smooth maximum.
struct Estimate {
    double time_s = 0;
    double compute_s = 0, dram_s = 0, l2_s = 0, power_s = 0, fixed_s = 0;
    Kernel kernel = Kernel::none;
    std::int32_t tile_m = 0, tile_n = 0, split = 1;
    double waves = 0, dram_bytes = 0, executed_flops = 0;
};

/// Which elements of the model take part: what an ablation leaves out.
struct Switches {
    bool waves = true, latency = true, tile_efficiency = true, padding = true, power = true;
    bool winograd = true, direct = true, alignment = true, reread = true, batched_rule = true;
    bool narrow = true, drift = true, residency = true;
};

/// The terms' smooth maximum and the fixed part into time_s.
void combine(Estimate& estimate);

}  // namespace ridge::gpu
