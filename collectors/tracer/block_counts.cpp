#include "collectors/tracer/block_counts.hpp"

#include <algorithm>

namespace ridge::tracer {

void add_work(KernelCounts& counts, const Instruction& instruction, int lanes, double times) {
    const double flops = times * lanes * instruction.flops_per_lane;
    switch (instruction.type) {
        case DataType::f64:
            counts.flops_f64 += flops;
            break;
        case DataType::f16:
            counts.flops_f16 += flops;
            break;
        case DataType::bf16:
            counts.flops_bf16 += flops;
            break;
        default:
            counts.flops_f32 += flops;
    }
    counts.integer_ops += times * lanes * instruction.integer_ops_per_lane;
    if (instruction.flops_per_lane + instruction.integer_ops_per_lane > 0)
        counts.masked_lanes += times * (instruction.lanes - lanes);
}

void add_access(KernelCounts& counts, const Instruction& instruction, int bytes, bool written) {
    AccessCounts* kind = nullptr;
    if (instruction.width == VectorWidth::none)
        kind = written ? &counts.scalar_stores : &counts.scalar_loads;
    else if (written)
        kind = instruction.non_temporal ? &counts.non_temporal_stores : &counts.vector_stores;
    else
        kind = instruction.broadcast ? &counts.broadcast_loads : &counts.vector_loads;
    ++kind->accesses;
    kind->bytes += bytes;
}

void BlockCounter::add(const Instruction& i) {
    ++counts_.instructions;
    ++counts_.by_class[static_cast<std::size_t>(i.kind)][static_cast<std::size_t>(i.width)];
    if (i.mask == 0 && i.width != VectorWidth::tile) add_work(counts_, i, i.lanes);
    follow_chain(i);
    if (i.operation == Operation::prefetch) {
        ++counts_.prefetches;
        return;
    }
    if (i.operation == Operation::push || i.operation == Operation::call)
        counts_.scalar_stores.accesses += 1, counts_.scalar_stores.bytes += 8;
    if (i.operation == Operation::pop || i.operation == Operation::ret)
        counts_.scalar_loads.accesses += 1, counts_.scalar_loads.bytes += 8;
    // The operands of a long nop are only there for its length.
    if (i.mask != 0 || i.vector_mask || i.operation == Operation::nothing) return;
    if (i.width == VectorWidth::tile) return;  // rows are counted when they are known
    for (const Operand& operand : i.operands) {
        if (operand.kind != OperandKind::memory) continue;
        if (operand.read) add_access(counts_, i, operand.bytes, false);
        if (operand.written) add_access(counts_, i, operand.bytes, true);
    }
}

void BlockCounter::follow_chain(const Instruction& i) {
    const auto place = [](const Operand& operand) -> std::size_t {
        if (operand.kind == OperandKind::vector) return operand.number & 31U;
        return 32U + (operand.number & 7U);
    };
    const auto holds = [](const Operand& operand) {
        return operand.kind == OperandKind::vector || operand.kind == OperandKind::tile;
    };
    const Operand& to = i.operands[0];
    if (!holds(to) || !to.written) return;
    int longest = 0;
    for (const Operand& operand : i.operands)
        if (holds(operand) && operand.read) longest = std::max(longest, chain_[place(operand)]);
    const bool multiply_add = i.kind == InstructionClass::fp_fma || i.kind == InstructionClass::dot;
    if (multiply_add) {
        ++longest;
        ++counts_.hot_fmas;
        counts_.hot_chain = std::max<double>(counts_.hot_chain, longest);
    }
    chain_[place(to)] = longest;
}

}  // namespace ridge::tracer
