// What a block counts per execution.
#pragma once

#include <array>

#include "collectors/tracer/instruction.hpp"
#include "ridge/kernel_counts.hpp"

namespace ridge::tracer {

/// Adds FLOPs and integer operations of `lanes` active lanes, for so many executions.
void add_work(KernelCounts& counts, const Instruction& instruction, int lanes, double times = 1);
/// Adds one access of the instruction.
void add_access(KernelCounts& counts, const Instruction& instruction, int bytes, bool written);

/// Counts instruction by instruction; work and accesses under a mask are left to the emulator.
class BlockCounter {
public:
    explicit BlockCounter(KernelCounts& counts) : counts_(counts) {}
    void add(const Instruction& instruction);

private:
    void follow_chain(const Instruction& instruction);

    KernelCounts& counts_;
    /// Longest chain of multiply-adds that ends in each vector register, then in each tile.
    std::array<int, 40> chain_{};
};

}  // namespace ridge::tracer
