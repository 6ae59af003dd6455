#include "collectors/probe/cpu_features.hpp"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace ridge::probe {
namespace {

bool bit(std::uint32_t word, int index) {
    return (word >> index) & 1u;
}

// XCR0 state components (Intel SDM volume 1, 13.1): SSE 1, AVX 2, opmask 5, ZMM 6 and 7, tiles 17
// and 18.
constexpr std::uint64_t xcr0_avx = 0x6;
constexpr std::uint64_t xcr0_avx512 = 0xe6;
constexpr std::uint64_t xcr0_tiles = 0x60000;

std::string registers_as_text(std::initializer_list<std::uint32_t> words) {
    std::string text;
    for (const std::uint32_t word : words) {
        char bytes[4];
        std::memcpy(bytes, &word, 4);
        text.append(bytes, 4);
    }
    return text;
}

std::string read_brand(const Cpuid& cpuid) {
    if (cpuid(0x80000000u, 0)[0] < 0x80000004u) return {};
    std::string text;
    for (std::uint32_t leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
        const auto r = cpuid(leaf, 0);
        text += registers_as_text({r[0], r[1], r[2], r[3]});
    }
    // Blanks at the ends and repeated ones go, as in /proc/cpuinfo, whose name is compared with
    // this.
    std::string name;
    for (const char c : std::string(text.c_str()))
        if (c != ' ' || (!name.empty() && name.back() != ' ')) name += c;
    if (!name.empty() && name.back() == ' ') name.pop_back();
    return name;
}

/// Family and model with their extensions (AMD and Intel agree for the families that matter).
void decode_signature(std::uint32_t eax, CpuFeatures& cpu) {
    cpu.stepping = static_cast<int>(eax & 0xf);
    cpu.model = static_cast<int>((eax >> 4) & 0xf);
    cpu.family = static_cast<int>((eax >> 8) & 0xf);
    if (cpu.family == 0xf || cpu.family == 6) cpu.model += static_cast<int>((eax >> 16) & 0xf) << 4;
    if (cpu.family == 0xf) cpu.family += static_cast<int>((eax >> 20) & 0xff);
}

}  // namespace

CpuFeatures decode_features(const Cpuid& cpuid, const std::function<std::uint64_t()>& xcr0) {
    CpuFeatures cpu;
    const auto leaf0 = cpuid(0, 0);
    cpu.vendor = registers_as_text({leaf0[1], leaf0[3], leaf0[2]});
    const auto leaf1 = cpuid(1, 0);
    decode_signature(leaf1[0], cpu);
    cpu.brand = read_brand(cpuid);
    cpu.hypervisor = bit(leaf1[2], 31);
    cpu.sse2 = bit(leaf1[3], 26);
    const std::uint64_t saved = bit(leaf1[2], 27) ? xcr0() : 0;
    if (leaf0[0] < 7) return cpu;

    const auto leaf7 = cpuid(7, 0);
    const auto leaf7_1 = leaf7[0] >= 1 ? cpuid(7, 1) : std::array<std::uint32_t, 4>{};
    if ((saved & xcr0_avx) == xcr0_avx) {
        cpu.avx2 = bit(leaf7[1], 5);
        cpu.fma = cpu.avx2 && bit(leaf1[2], 12);
    }
    if ((saved & xcr0_avx512) == xcr0_avx512) {
        cpu.avx512 = cpu.fma && bit(leaf7[1], 16) && bit(leaf7[1], 17) && bit(leaf7[1], 30) &&
                     bit(leaf7[1], 31);
        cpu.avx512_vnni = cpu.avx512 && bit(leaf7[2], 11);
        cpu.avx512_bf16 = cpu.avx512 && bit(leaf7_1[0], 5);
    }
    if ((saved & xcr0_tiles) == xcr0_tiles && bit(leaf7[3], 24)) {
        cpu.amx_bf16 = bit(leaf7[3], 22);
        cpu.amx_int8 = bit(leaf7[3], 25);
    }
    return cpu;
}

std::vector<std::string> CpuFeatures::flags() const {
    std::vector<std::string> words;
    const auto add = [&](bool has, const char* word) {
        if (has) words.emplace_back(word);
    };
    add(sse2, "sse2");
    add(avx2, "avx2");
    add(fma, "fma");
    add(avx512, "avx512f");
    add(avx512_bf16, "avx512_bf16");
    add(avx512_vnni, "avx512_vnni");
    add(amx_bf16 || amx_int8, "amx_tile");
    add(amx_bf16, "amx_bf16");
    add(amx_int8, "amx_int8");
    return words;
}

bool CpuFeatures::supports(Isa isa, bool with_fma, DataType dtype) const {
    switch (isa) {
        case Isa::scalar:
        case Isa::sse:
            return with_fma ? fma : sse2;
        case Isa::avx2:
            return with_fma ? fma : avx2;
        case Isa::avx512:
            return avx512;
        case Isa::avx512_bf16:
            return avx512_bf16;
        case Isa::avx512_vnni:
            return avx512_vnni;
        case Isa::amx:
            return dtype == DataType::bf16 ? amx_bf16 : amx_int8;
        case Isa::simt:
        case Isa::tensor:
            return false;  // a GPU's
    }
    return false;
}

namespace {

std::array<std::uint32_t, 4> hardware_cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    __cpuid_count(leaf, subleaf, a, b, c, d);
    return {a, b, c, d};
}

std::uint64_t hardware_xcr0() {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (static_cast<std::uint64_t>(high) << 32) | low;
}

/// Linux hands out the 8 KiB of tile state on request only (Documentation/arch/x86/xstate.rst).
bool request_tiles() {
    constexpr int arch_req_xcomp_perm = 0x1023;
    constexpr int tile_data = 18;
    return syscall(SYS_arch_prctl, arch_req_xcomp_perm, tile_data) == 0;
}

}  // namespace

CpuFeatures this_cpu() {
    CpuFeatures cpu = decode_features(hardware_cpuid, hardware_xcr0);
    if ((cpu.amx_bf16 || cpu.amx_int8) && !request_tiles()) cpu.amx_bf16 = cpu.amx_int8 = false;
    return cpu;
}

}  // namespace ridge::probe
