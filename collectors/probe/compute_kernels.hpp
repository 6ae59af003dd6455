// Loops that keep the arithmetic units of one instruction set busy, and chains of dependent
// operations whose rate is the clock divided by the latency. They are assembly, so that no compiler
// removes, hoists, fuses or spills anything, in whatever way the program is built; each leaves a
// result that tells how many operations were executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/probe/cpu_features.hpp"
#include "ridge/layer.hpp"
#include "ridge/machine.hpp"

namespace ridge::probe {

inline constexpr int register_bytes = 64;
inline constexpr int accumulators_max = 16;

/// Runs `iterations` (> 0) turns of a loop. `x` and `y` are operands of 64 bytes each;
/// `accumulators` holds the initial contents of the accumulator registers, 64 bytes each, and
/// receives the final ones. All aligned to 64 bytes.
using KernelLoop = void (*)(std::int64_t iterations, const std::byte* x, const std::byte* y,
                            std::byte* accumulators);

struct ComputeKernel {
    Isa isa;
    bool fma;  ///< multiply-add instructions; else a mix of as many multiplications as additions
    DataType dtype;
    int lanes;           ///< results of one instruction (AMX: elements of a tile)
    int flops_per_lane;  ///< operations in each result: 1 add or multiply, 2 FMA, 4 bf16 dot...
    KernelLoop throughput;
    int accumulators;  ///< independent ones, used by instruction k mod accumulators
    int instructions;  ///< per turn of the throughput loop
    KernelLoop chain;  ///< one accumulator; of multiplications where there is no FMA
    int chain_length;  ///< dependent instructions per turn of the chain loop

    /// Operations of one turn of the throughput loop.
    [[nodiscard]] double flops_per_turn() const {
        return static_cast<double>(instructions) * lanes * flops_per_lane;
    }
};

/// All kernels of this product, narrowest first.
[[nodiscard]] std::span<const ComputeKernel> compute_kernels();

/// Operands and accumulators of a kernel: every element of x and y, and of the accumulators, is set
/// to one value of the kernel's type.
struct alignas(register_bytes) KernelState {
    std::byte x[register_bytes];
    std::byte y[register_bytes];
    std::byte accumulators[accumulators_max * register_bytes];
};
/// x multiplies, y is added (dot products: accumulator += x*y).
void fill(KernelState& state, const ComputeKernel& kernel, double x, double y, double start);
/// Sum over the lanes of one accumulator, after a run.
[[nodiscard]] double lane_sum(const KernelState& state, const ComputeKernel& kernel,
                              int accumulator);

/// A chain of dependent 32-bit integer multiplications: three cycles each on every x86-64 core that
/// Ridgepoint knows (Intel since Nehalem, AMD since Zen). Returns 3 to the number of
/// multiplications, modulo 2^32.
[[nodiscard]] std::uint32_t integer_chain(std::int64_t turns);
inline constexpr int integer_chain_length = 16;
inline constexpr int integer_multiply_latency = 3;

// The loops, by translation unit; called through compute_kernels() only.
void amx_configure_tiles();  ///< sets up eight full tiles on this thread
void amx_release_tiles();

}  // namespace ridge::probe
