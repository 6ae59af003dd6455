// The numbers of a GPU's machine file that the kernel model needs, gathered once.
#pragma once

#include <string>

#include "ridge/layer.hpp"
#include "ridge/machine.hpp"

namespace ridge::gpu {

/// SI units throughout.
struct Device {
    std::string name, chip, family;
    bool amd = false;
    double multiprocessors = 1, lanes = 64;
    double clock_hz = 1e9;  ///< boost
    double f32_flops_per_s = 0;
    double tensor_f16_flops_per_s = 0;   ///< f16 and bf16; 0: has none
    double tensor_tf32_flops_per_s = 0;  ///< 0: has none
    double bytes_per_s = 0;
    double l2_bytes = 0;
    double power_w = 250;
};

/// Throws Error bad_input for a machine that is no GPU or lacks its f32 ceiling, its L2 or the
/// bandwidth of its memory.
[[nodiscard]] Device device_of(const Machine& machine);

}  // namespace ridge::gpu
