// Time of a tiled matrix product: how many blocks of a tile fit on the device at once, how many
// waves of them run, how full the last one is, and what comes from L2 and DRAM meanwhile.
#pragma once

#include <span>

#include "model/predict/gpu/estimate.hpp"

namespace ridge::gpu {

struct Tile {
    int m, n, threads;
};

struct GemmProblem {
    double batch = 1, m = 0, n = 0, k = 0;
    double element_bytes = 4;
    double peak_flops_per_s = 0;
    double k_granule = 8;       ///< K is padded to it
    double operand_bytes = -1;  ///< compulsory bytes of A and B where they are fewer than the
                                ///< matrices (an image instead of its im2col); negative: matrices
    double output_factor = 1;   ///< 2 where the output is read too
    double rate = 1;            ///< further share of the rate (alignment, strides)
    bool may_split = true;
    double from_l2 = 0;      ///< share of the operands that L2 holds from the call before
    bool a_along_k = false;  ///< consecutive elements of A are along K (a transposed A)
};

/// Which tiles a library has for the work on a device.
[[nodiscard]] std::span<const Tile> simt_tiles();
[[nodiscard]] std::span<const Tile> tensor_tiles();

/// The fastest tile and split of K. Without the launch.
[[nodiscard]] Estimate tiled_gemm(const GemmProblem& problem, std::span<const Tile> tiles,
                                  const Device& device, const Constants& constants,
                                  const Switches& switches);

/// The share of a multiprocessor's peak that `threads` resident threads reach.
[[nodiscard]] double latency_share(double threads, double lanes, double latency);

}  // namespace ridge::gpu
