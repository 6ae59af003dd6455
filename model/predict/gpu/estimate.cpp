#include "model/predict/gpu/estimate.hpp"

#include <cmath>

namespace ridge::gpu {

const char* to_string(Kernel kernel) {
    switch (kernel) {
        case Kernel::none:
            return "none";
        case Kernel::tiled_gemm:
            return "tiled GEMM";
        case Kernel::fused_winograd:
            return "Winograd, fused";
        case Kernel::nonfused_winograd:
            return "Winograd, separate";
        case Kernel::direct:
            return "direct";
        case Kernel::streaming:
            return "streaming";
    }
    return "?";
}

void combine(Estimate& e) {
    const auto cube = [](double x) { return x * x * x; };
    e.time_s =
        std::cbrt(cube(e.compute_s) + cube(e.dram_s) + cube(e.l2_s) + cube(e.power_s)) + e.fixed_s;
}

}  // namespace ridge::gpu
