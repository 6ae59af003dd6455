#include "model/predict/gpu/device.hpp"

#include "ridge/error.hpp"

namespace ridge::gpu {
namespace {

double ceiling_or_zero(const Machine& machine, Isa isa, DataType dtype) {
    const auto rate = ceiling(machine, isa, true, dtype, machine.threads);
    return rate ? rate->value() : 0;
}

}  // namespace

Device device_of(const Machine& machine) {
    const std::string where = "machine " + machine.name;
    if (!machine.gpu) throw bad_input(where, "a GPU", "a CPU");
    Device d;
    d.name = machine.name;
    d.chip = machine.gpu->chip;
    d.family = machine.gpu->family;
    d.amd = d.family == "gcn" || d.family == "cdna";
    d.multiprocessors = machine.cores;
    d.lanes = machine.gpu->f32_lanes;
    d.clock_hz = machine.gpu->boost_clock_hz.value;
    d.f32_flops_per_s = ceiling_or_zero(machine, Isa::simt, DataType::f32);
    d.tensor_f16_flops_per_s = ceiling_or_zero(machine, Isa::tensor, DataType::f16);
    d.tensor_tf32_flops_per_s = ceiling_or_zero(machine, Isa::tensor, DataType::tf32);
    if (machine.gpu->board_power_w) d.power_w = machine.gpu->board_power_w->value;
    for (const auto& level : machine.levels) {
        if (level.name == "L2" && level.capacity_bytes) d.l2_bytes = level.capacity_bytes->value;
        if (level.name != "DRAM") continue;
        if (const auto rate = bandwidth(level, AccessKind::read, machine.threads))
            d.bytes_per_s = rate->value();
    }
    if (d.f32_flops_per_s <= 0) throw bad_input(where, "a simt ceiling for f32", "none");
    if (d.l2_bytes <= 0) throw bad_input(where, "the capacity of its L2", "none");
    if (d.bytes_per_s <= 0) throw bad_input(where, "the read bandwidth of its DRAM", "none");
    return d;
}

}  // namespace ridge::gpu
