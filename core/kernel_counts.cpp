#include "ridge/kernel_counts.hpp"

namespace ridge {

std::string_view to_string(InstructionClass kind) {
    constexpr std::array<std::string_view, instruction_classes> names{
        "scalar",  "branch", "mask",    "fma",     "add_mul", "divide",   "compare", "dot",
        "integer", "logic",  "shuffle", "convert", "move",    "prefetch", "other"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(VectorWidth width) {
    constexpr std::array<std::string_view, vector_widths> names{"none", "lane", "128",
                                                                "256",  "512",  "tile"};
    return names[static_cast<std::size_t>(width)];
}

std::string_view to_string(PortClass ports) {
    constexpr std::array<std::string_view, port_classes> names{
        "load",    "store", "fp",     "divide", "integer",
        "shuffle", "mask",  "scalar", "branch", "matrix"};
    return names[static_cast<std::size_t>(ports)];
}

double port_operations(const KernelCounts& c, PortClass ports) {
    const auto of = [&](auto... kinds) { return (c.of(kinds) + ...); };
    using enum InstructionClass;
    const double tiles = c.of(dot, VectorWidth::tile);
    switch (ports) {
        case PortClass::load:
            return c.scalar_loads.accesses + c.vector_loads.accesses + c.broadcast_loads.accesses +
                   c.prefetches;
        case PortClass::store:
            return c.scalar_stores.accesses + c.vector_stores.accesses +
                   c.non_temporal_stores.accesses;
        case PortClass::fp:
            return of(fp_fma, fp_add_mul, fp_compare, convert, dot) - tiles;
        case PortClass::divide:
            return of(fp_divide);
        case PortClass::integer:
            return of(integer, logic);
        case PortClass::shuffle:
            return of(InstructionClass::shuffle);
        case PortClass::mask:
            return of(InstructionClass::mask);
        case PortClass::scalar:
            return of(InstructionClass::scalar);
        case PortClass::branch:
            return of(InstructionClass::branch);
        case PortClass::matrix:
            return tiles;
    }
    return 0;
}

void add_executions(KernelCounts& sum, const KernelCounts& once, double executions) {
    const auto add = [executions](double& to, double value) { to += executions * value; };
    const auto add_accesses = [&](AccessCounts& to, const AccessCounts& value) {
        add(to.accesses, value.accesses);
        add(to.bytes, value.bytes);
    };
    add(sum.instructions, once.instructions);
    for (std::size_t i = 0; i < sum.by_class.size(); ++i)
        for (std::size_t j = 0; j < sum.by_class[i].size(); ++j)
            add(sum.by_class[i][j], once.by_class[i][j]);
    add(sum.flops_f32, once.flops_f32);
    add(sum.flops_f64, once.flops_f64);
    add(sum.flops_f16, once.flops_f16);
    add(sum.flops_bf16, once.flops_bf16);
    add(sum.integer_ops, once.integer_ops);
    add(sum.masked_lanes, once.masked_lanes);
    add_accesses(sum.scalar_loads, once.scalar_loads);
    add_accesses(sum.scalar_stores, once.scalar_stores);
    add_accesses(sum.vector_loads, once.vector_loads);
    add_accesses(sum.broadcast_loads, once.broadcast_loads);
    add_accesses(sum.vector_stores, once.vector_stores);
    add_accesses(sum.non_temporal_stores, once.non_temporal_stores);
    add(sum.prefetches, once.prefetches);
    add(sum.sse_transitions, once.sse_transitions);
}

}  // namespace ridge
