#include "collectors/probe/microarchitecture.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ridge::probe {
namespace {

// Sources: AMD "Software Optimization Guide" for families 17h (55723), 19h (56665, Zen 4: 57647)
// and 1Ah (58455), floating-point execution unit chapters; Intel "64 and IA-32 Architectures
// Optimization Reference Manual" (248966), microarchitecture and instruction latency chapters.
// Zen 1 splits 256-bit operations in two halves, Zen 4 splits 512-bit ones. AMD cores add on other
// pipes than they multiply, so a mix of both starts twice as many instructions as FMA alone. A
// 512-bit operation on Intel takes port 0 with port 1 fused, and port 5 where that has a 512-bit
// unit.
const Microarchitecture zen1{"Zen", 5, 3, {2, 1, 0}, {4, 2, 0}};
const Microarchitecture zen2{"Zen 2", 5, 3, {2, 2, 0}, {4, 4, 0}};
const Microarchitecture zen3{"Zen 3", 4, 3, {2, 2, 0}, {4, 4, 0}};
const Microarchitecture zen4{"Zen 4", 4, 3, {2, 2, 1}, {4, 4, 2}, 1, 1};
const Microarchitecture zen5{"Zen 5", 4, 3, {2, 2, 2}, {4, 4, 4}};
const Microarchitecture haswell{"Haswell", 5, 5, {2, 2, 0}, {2, 2, 0}};
const Microarchitecture broadwell{"Broadwell", 5, 3, {2, 2, 0}, {2, 2, 0}};
const Microarchitecture skylake{"Skylake", 4, 4, {2, 2, 0}, {2, 2, 0}};
const Microarchitecture skylake_sp{"Skylake-SP", 4, 4, {2, 2, 2}, {2, 2, 2}, 0, 2};
const Microarchitecture ice_lake_sp{"Ice Lake-SP", 4, 4, {2, 2, 2}, {2, 2, 2}, 0, 2};
const Microarchitecture sunny_cove{"Ice Lake", 4, 4, {2, 2, 1}, {2, 2, 1}, 0, 1};
const Microarchitecture golden_cove{"Golden Cove", 4, 4, {2, 2, 0}, {3, 3, 0}};
const Microarchitecture sapphire{
    "Golden Cove (server)", 4, 4, {2, 2, 2}, {3, 3, 2}, 0, 2, 1.0 / 16};

struct Row {
    std::string_view vendor;
    int family, first_model, last_model;
    const Microarchitecture* core;
};

constexpr std::string_view amd = "AuthenticAMD";
constexpr std::string_view intel = "GenuineIntel";

const std::array table{
    Row{amd, 0x17, 0x00, 0x2f, &zen1},       Row{amd, 0x17, 0x30, 0xaf, &zen2},
    Row{amd, 0x19, 0x00, 0x0f, &zen3},       Row{amd, 0x19, 0x10, 0x1f, &zen4},
    Row{amd, 0x19, 0x20, 0x5f, &zen3},       Row{amd, 0x19, 0x60, 0x7f, &zen4},
    Row{amd, 0x19, 0xa0, 0xaf, &zen4},       Row{amd, 0x1a, 0x00, 0x1f, &zen5},
    Row{amd, 0x1a, 0x40, 0x4f, &zen5},       Row{intel, 6, 0x3c, 0x3c, &haswell},
    Row{intel, 6, 0x3f, 0x3f, &haswell},     Row{intel, 6, 0x45, 0x46, &haswell},
    Row{intel, 6, 0x3d, 0x3d, &broadwell},   Row{intel, 6, 0x47, 0x47, &broadwell},
    Row{intel, 6, 0x4f, 0x4f, &broadwell},   Row{intel, 6, 0x56, 0x56, &broadwell},
    Row{intel, 6, 0x4e, 0x4e, &skylake},     Row{intel, 6, 0x5e, 0x5e, &skylake},
    Row{intel, 6, 0x8e, 0x8e, &skylake},     Row{intel, 6, 0x9e, 0x9e, &skylake},
    Row{intel, 6, 0xa5, 0xa6, &skylake},     Row{intel, 6, 0x55, 0x55, &skylake_sp},
    Row{intel, 6, 0x6a, 0x6a, &ice_lake_sp}, Row{intel, 6, 0x6c, 0x6c, &ice_lake_sp},
    Row{intel, 6, 0x7d, 0x7e, &sunny_cove},  Row{intel, 6, 0x8c, 0x8d, &sunny_cove},
    Row{intel, 6, 0xa7, 0xa7, &sunny_cove},  Row{intel, 6, 0x97, 0x97, &golden_cove},
    Row{intel, 6, 0x9a, 0x9a, &golden_cove}, Row{intel, 6, 0xb7, 0xb7, &golden_cove},
    Row{intel, 6, 0xba, 0xba, &golden_cove}, Row{intel, 6, 0xbf, 0xbf, &golden_cove},
    Row{intel, 6, 0x8f, 0x8f, &sapphire},    Row{intel, 6, 0xcf, 0xcf, &sapphire},
    Row{intel, 6, 0xad, 0xae, &sapphire},
};

/// Of the first two Xeon Scalable generations (same family and model number), Bronze, Silver and
/// most Gold 5000 have the 512-bit unit of port 5 fused off. The name tells, unless a hypervisor
/// hides it; then which of both it is is unknown.
void settle_skylake_sp(const CpuFeatures& cpu, Microarchitecture& core) {
    const auto named = [&](std::string_view word) {
        return cpu.brand.find(word) != std::string::npos;
    };
    const bool one = named("Bronze") || named("Silver") || (named("Gold 5") && !named("5222"));
    const bool two =
        named("Platinum") || named("Gold 6") || named("Gold 5222") || named("W-") || named("i9-");
    if (two) return;
    const double units = one ? 1 : 0;
    core.fma.w512 = core.mix.w512 = core.dot_s8 = units;
}

double at_width(const PerWidth& rate, Isa isa) {
    switch (isa) {
        case Isa::scalar:
        case Isa::sse:
            return rate.w128;
        case Isa::avx2:
            return rate.w256;
        default:
            return rate.w512;
    }
}

}  // namespace

std::optional<Microarchitecture> microarchitecture_of(const CpuFeatures& cpu) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const Row& candidate) {
        return candidate.vendor == cpu.vendor && candidate.family == cpu.family &&
               candidate.first_model <= cpu.model && cpu.model <= candidate.last_model;
    });
    if (row == table.end()) return std::nullopt;
    Microarchitecture core = *row->core;
    if (row->core == &skylake_sp) settle_skylake_sp(cpu, core);
    return core;
}

double instructions_per_cycle(const Microarchitecture& core, const ComputeKernel& kernel) {
    switch (kernel.isa) {
        case Isa::amx:
            return core.tile;
        case Isa::avx512_bf16:
            return core.dot_bf16;
        case Isa::avx512_vnni:
            return core.dot_s8;
        default:
            return at_width(kernel.fma ? core.fma : core.mix, kernel.isa);
    }
}

int chain_latency(const Microarchitecture& core, const ComputeKernel& kernel) {
    if (kernel.isa >= Isa::avx512_bf16) return 0;
    return kernel.fma ? core.fma_latency : core.multiply_latency;
}

}  // namespace ridge::probe
