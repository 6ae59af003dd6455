// What one execution of a kernel does, counted instruction by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge {

/// Instructions by what they occupy. Names in order of the field's tables of execution ports:
/// `fp` classes go to the floating-point units, shuffles to the (single) shuffle port of most
/// cores, `scalar` to the integer units, `mask` to the opmask ports, moves to load and store ports.
enum class InstructionClass : std::uint8_t {
    scalar,
    branch,  ///< jumps, calls and returns
    mask,    ///< k registers
    fp_fma,
    fp_add_mul,
    fp_divide,   ///< division, square root and their approximations
    fp_compare,  ///< comparisons, minimum, maximum
    dot,         ///< bf16 and 8-bit dot products
    integer,     ///< vector integer arithmetic
    logic,       ///< vector and, or, xor
    shuffle,     ///< permutations, blends, insertions, broadcasts of registers
    convert,
    move,      ///< vector loads, stores, broadcasts from memory and copies
    prefetch,  ///< software prefetches
    other,     ///< vzeroupper, fences, pause
};
inline constexpr int instruction_classes = 15;
[[nodiscard]] std::string_view to_string(InstructionClass kind);

/// Of the vector registers that an instruction works on. none: no vector register.
/// lane: one element of a vector register (addss). tile: a matrix register (AMX).
enum class VectorWidth : std::uint8_t { none, lane, bits128, bits256, bits512, tile };
inline constexpr int vector_widths = 6;
[[nodiscard]] std::string_view to_string(VectorWidth width);

/// What instructions occupy, of the groups of execution ports that x86-64 cores have in common. An
/// instruction that works on a memory operand occupies its own port and one for loads; copies
/// between registers occupy none, renaming does them.
enum class PortClass : std::uint8_t {
    load,  ///< prefetches included
    store,
    fp,       ///< multiply-add pipes: arithmetic, comparisons, conversions, dot products
    divide,   ///< the divider, not pipelined
    integer,  ///< any vector port: integer arithmetic and logic
    shuffle,
    mask,
    scalar,
    branch,
    matrix,  ///< products of tiles
};
inline constexpr int port_classes = 10;
[[nodiscard]] std::string_view to_string(PortClass ports);

/// Accesses of one kind: how many, and their bytes. A masked access counts the bytes from its first
/// to its last active lane.
struct AccessCounts {
    double accesses = 0, bytes = 0;
    bool operator==(const AccessCounts&) const = default;
};

struct KernelCounts {
    double calls = 0;  ///< entries into generated code from outside it
    double instructions = 0;
    std::array<std::array<double, vector_widths>, instruction_classes> by_class{};

    /// Additions, multiplications, divisions and square roots of active lanes; a multiply-add is 2,
    /// a bf16 dot product 4 per lane, a product of tiles 4 per pair of elements it multiplies.
    /// Comparisons, minimum, maximum and conversions are 0.
    double flops_f32 = 0, flops_f64 = 0, flops_f16 = 0, flops_bf16 = 0;
    double integer_ops = 0;   ///< of 8- and 16-bit dot products: multiplications and additions
    double masked_lanes = 0;  ///< lanes of arithmetic instructions that a mask switched off

    AccessCounts scalar_loads, scalar_stores;  ///< of general-purpose registers, stack included
    AccessCounts vector_loads;                 ///< whole vectors and single lanes
    AccessCounts broadcast_loads;              ///< one element for all lanes
    AccessCounts vector_stores;                ///< through the caches
    AccessCounts non_temporal_stores;
    double prefetches = 0;

    /// Changes from 256- or 512-bit instructions with dirty upper halves to a legacy SSE
    /// instruction: hundreds of cycles each on cores that save the upper halves then.
    double sse_transitions = 0;

    double code_bytes = 0;  ///< distinct bytes of code that ran
    double code_lines = 0;  ///< 64-byte lines that hold them
    double hot_chain = 0;   ///< multiply-adds that depend on each other, one after the other, in
                            ///< the block that executes most multiply-adds...
    double hot_fmas = 0;    ///< ...and all multiply-adds of that block
    [[nodiscard]] double flops() const { return flops_f32 + flops_f64 + flops_f16 + flops_bf16; }
    [[nodiscard]] double of(InstructionClass kind) const {
        double sum = 0;
        for (const double n : by_class[static_cast<std::size_t>(kind)]) sum += n;
        return sum;
    }
    [[nodiscard]] double of(InstructionClass kind, VectorWidth width) const {
        return by_class[static_cast<std::size_t>(kind)][static_cast<std::size_t>(width)];
    }
};

/// Operations of a port class.
[[nodiscard]] double port_operations(const KernelCounts& counts, PortClass ports);

/// Adds `executions` times what happens once. Calls, code and the hot block are not additive and
/// stay as they are.
void add_executions(KernelCounts& sum, const KernelCounts& once, double executions);

/// A generated function that was entered, with the calls from outside.
struct TracedFunction {
    std::string name;
    std::uint64_t address = 0, bytes = 0;
    double calls = 0;
};

/// One traced execution of a kernel.
struct KernelTrace {
    /// Empty when every instruction was understood; else why counts and stream are not to be used.
    std::string unavailable;
    /// Empty when FLOPs are exact; else why they are not known although the rest is.
    std::string flops_unavailable;
    KernelCounts counts;
    std::vector<TracedFunction> functions;
    double emulation_s = 0;  ///< time that emulating took, without the kernel itself

    /// Of a self-check by single steps; 0 calls when none was made.
    struct SelfCheck {
        double calls = 0, instructions = 0, blocks = 0;
        std::string mismatch;  ///< the first one; empty when there was none
    } self_check;
};

}  // namespace ridge
