// CPUID decoding and kernel dispatch on processors that this machine is not.
#include "collectors/probe/cpu_features.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "collectors/probe/compute_kernels.hpp"

using namespace ridge;
using namespace ridge::probe;

namespace {

using Registers = std::array<std::uint32_t, 4>;

/// CPUID answers by leaf and subleaf; 0 elsewhere.
struct FakeCpu {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Registers> leaves;
    std::uint64_t xcr0 = 0;
    mutable bool xcr0_was_read = false;

    [[nodiscard]] CpuFeatures decode() const {
        return decode_features(
            [this](std::uint32_t leaf, std::uint32_t subleaf) {
                const auto found = leaves.find({leaf, subleaf});
                return found == leaves.end() ? Registers{} : found->second;
            },
            [this] {
                xcr0_was_read = true;
                return xcr0;
            });
    }
};

std::uint32_t word(const char* text) {
    std::uint32_t value = 0;
    std::memcpy(&value, text, 4);
    return value;
}

constexpr std::uint32_t osxsave = 1u << 27, fma_bit = 1u << 12, hypervisor = 1u << 31;
constexpr std::uint32_t sse2_bit = 1u << 26, avx2_bit = 1u << 5;
constexpr std::uint32_t avx512_bits = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;

/// Family 6, model 0x8f, everything that a Sapphire Rapids guest has.
FakeCpu sapphire_rapids() {
    FakeCpu cpu;
    cpu.leaves[{0, 0}] = {0x1f, word("Genu"), word("ntel"), word("ineI")};
    cpu.leaves[{1, 0}] = {0x000806f8, 0, osxsave | fma_bit | hypervisor, sse2_bit};
    cpu.leaves[{7, 0}] = {1, avx2_bit | avx512_bits, 1u << 11, 1u << 22 | 1u << 24 | 1u << 25};
    cpu.leaves[{7, 1}] = {1u << 5, 0, 0, 0};
    cpu.leaves[{0x80000000u, 0}] = {0x80000008u, 0, 0, 0};
    cpu.leaves[{0x80000002u, 0}] = {word("  In"), word("tel("), word("R) X"),
                                    word("eon ")};  // with blanks in front
    cpu.leaves[{0x80000003u, 0}] = {word("  te"), word("st  "), 0, 0};
    cpu.xcr0 = 0x602e7;
    return cpu;
}

int runnable_kernels(const CpuFeatures& cpu) {
    const auto kernels = compute_kernels();
    return static_cast<int>(std::count_if(kernels.begin(), kernels.end(), [&](const auto& k) {
        return cpu.supports(k.isa, k.fma, k.dtype);
    }));
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a processor with everything") {
        const CpuFeatures cpu = sapphire_rapids().decode();
        CHECK(cpu.vendor == "GenuineIntel");
        CHECK(cpu.brand == "Intel(R) Xeon test");
        CHECK(cpu.family == 6);
        CHECK(cpu.model == 0x8f);
        CHECK(cpu.stepping == 8);
        CHECK(cpu.hypervisor);
        CHECK(cpu.flags() == std::vector<std::string>{"sse2", "avx2", "fma", "avx512f",
                                                      "avx512_bf16", "avx512_vnni", "amx_tile",
                                                      "amx_bf16", "amx_int8"});
        CHECK(runnable_kernels(cpu) == static_cast<int>(compute_kernels().size()));
    }

    TEST_CASE("AMD's family and model have two parts") {
        FakeCpu cpu;
        cpu.leaves[{0, 0}] = {0x10, word("Auth"), word("cAMD"), word("enti")};
        cpu.leaves[{1, 0}] = {0x00a10f11, 0, 0, sse2_bit};
        CHECK(cpu.decode().vendor == "AuthenticAMD");
        CHECK(cpu.decode().family == 0x19);
        CHECK(cpu.decode().model == 0x11);
    }

    TEST_CASE("registers that the operating system does not save are not used") {
        FakeCpu cpu = sapphire_rapids();
        cpu.xcr0 = 0xe7;  // no tiles
        CHECK_FALSE(cpu.decode().amx_bf16);
        CHECK(cpu.decode().avx512_bf16);
        cpu.xcr0 = 0x7;  // no 512-bit state
        CHECK_FALSE(cpu.decode().avx512);
        CHECK_FALSE(cpu.decode().avx512_vnni);
        CHECK(cpu.decode().fma);
        cpu.xcr0 = 0x3;  // no 256-bit state
        CHECK_FALSE(cpu.decode().avx2);
        CHECK_FALSE(cpu.decode().fma);
        CHECK(cpu.decode().sse2);
    }

    TEST_CASE("XCR0 is not read where reading it would fault") {
        FakeCpu cpu = sapphire_rapids();
        cpu.leaves[{1, 0}][2] &= ~osxsave;
        CHECK(cpu.decode().flags() == std::vector<std::string>{"sse2"});
        CHECK_FALSE(cpu.xcr0_was_read);
        CHECK(sapphire_rapids().decode().avx512);
    }

    TEST_CASE("dispatch: only what the processor has") {
        CpuFeatures cpu;
        cpu.sse2 = true;
        CHECK(runnable_kernels(cpu) == 4);  // scalar and SSE mixes, f32 and f64
        cpu.avx2 = true;
        CHECK(runnable_kernels(cpu) == 6);
        cpu.fma = true;
        CHECK(runnable_kernels(cpu) == 12);
        cpu.avx512 = true;
        CHECK(runnable_kernels(cpu) == 16);
        cpu.avx512_vnni = true;
        CHECK(runnable_kernels(cpu) == 17);
        CHECK_FALSE(cpu.supports(Isa::avx512_bf16, true, DataType::bf16));
        cpu.amx_int8 = true;
        CHECK(cpu.supports(Isa::amx, true, DataType::s8));
        CHECK_FALSE(cpu.supports(Isa::amx, true, DataType::bf16));
    }
}
