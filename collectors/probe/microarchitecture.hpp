// What the manuals say about the arithmetic units of a core, by vendor, family and model: the
// independent figure that a measured ceiling is held against.
#pragma once

#include <optional>
#include <string>

#include "collectors/probe/compute_kernels.hpp"
#include "collectors/probe/cpu_features.hpp"

namespace ridge::probe {

/// Instructions that start per cycle on one core, by register width.
struct PerWidth {
    double w128 = 0;  ///< scalar too
    double w256 = 0;
    double w512 = 0;  ///< 0: no such registers
};

/// Figures are 0 where no source is known to us.
struct Microarchitecture {
    std::string name;
    int fma_latency = 0;       ///< cycles, f32 and f64, all widths
    int multiply_latency = 0;  ///< cycles, floating point
    PerWidth fma;              ///< fused multiply-adds per cycle
    PerWidth mix;              ///< multiplications and additions, half each, per cycle
    double dot_bf16 = 0;       ///< 512-bit vdpbf16ps per cycle
    double dot_s8 = 0;         ///< 512-bit vpdpbusd per cycle
    double tile = 0;           ///< AMX dot-product instructions per cycle
};

/// Nothing for a processor that the table does not hold.
[[nodiscard]] std::optional<Microarchitecture> microarchitecture_of(const CpuFeatures& cpu);

/// Instructions of the kernel's throughput loop that one core starts per cycle; 0 when unknown.
[[nodiscard]] double instructions_per_cycle(const Microarchitecture& core,
                                            const ComputeKernel& kernel);

/// Latency of the instruction that the kernel's chain is made of, in cycles; 0 when unknown.
[[nodiscard]] int chain_latency(const Microarchitecture& core, const ComputeKernel& kernel);

}  // namespace ridge::probe
