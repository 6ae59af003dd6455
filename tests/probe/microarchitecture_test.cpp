// Peak rates of known processors, held against the figures that their makers publish.
#include "collectors/probe/microarchitecture.hpp"

#include <doctest/doctest.h>

using namespace ridge;
using namespace ridge::probe;

namespace {

CpuFeatures cpu(const char* vendor, int family, int model, const char* brand = "") {
    CpuFeatures features;
    features.vendor = vendor;
    features.family = family;
    features.model = model;
    features.brand = brand;
    return features;
}

/// FLOP per cycle and core by the table.
double flops_per_cycle(const CpuFeatures& features, Isa isa, bool fma, DataType dtype) {
    const auto core = microarchitecture_of(features);
    REQUIRE(core);
    for (const ComputeKernel& kernel : compute_kernels())
        if (kernel.isa == isa && kernel.fma == fma && kernel.dtype == dtype)
            return instructions_per_cycle(*core, kernel) * kernel.lanes * kernel.flops_per_lane;
    FAIL("no such kernel");
    return 0;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("FLOP per cycle and core of published peaks") {
        const auto genoa = cpu("AuthenticAMD", 0x19, 0x11);
        CHECK(flops_per_cycle(genoa, Isa::avx512, true, DataType::f32) == 32);
        CHECK(flops_per_cycle(genoa, Isa::avx2, true, DataType::f32) == 32);
        CHECK(flops_per_cycle(genoa, Isa::avx512, true, DataType::f64) == 16);
        CHECK(flops_per_cycle(genoa, Isa::scalar, true, DataType::f32) == 4);
        const auto turin = cpu("AuthenticAMD", 0x1a, 0x02);
        CHECK(flops_per_cycle(turin, Isa::avx512, true, DataType::f32) == 64);
        const auto sapphire_rapids = cpu("GenuineIntel", 6, 0x8f);
        CHECK(flops_per_cycle(sapphire_rapids, Isa::avx512, true, DataType::f32) == 64);
        CHECK(flops_per_cycle(sapphire_rapids, Isa::amx, true, DataType::bf16) == 1024);
        CHECK(flops_per_cycle(sapphire_rapids, Isa::amx, true, DataType::s8) == 2048);
        CHECK(flops_per_cycle(sapphire_rapids, Isa::avx512_vnni, true, DataType::s8) == 256);
        const auto broadwell = cpu("GenuineIntel", 6, 0x4f);
        CHECK(flops_per_cycle(broadwell, Isa::avx2, true, DataType::f64) == 16);
    }

    TEST_CASE("adding on other pipes than multiplying gives AMD's mix the rate of its FMA") {
        CHECK(flops_per_cycle(cpu("AuthenticAMD", 0x19, 0x11), Isa::avx2, false, DataType::f32) ==
              32);
        CHECK(flops_per_cycle(cpu("GenuineIntel", 6, 0x5e), Isa::avx2, false, DataType::f32) == 16);
    }

    TEST_CASE("the name settles how many 512-bit units a Skylake-SP has") {
        const auto units = [](const char* brand) {
            return microarchitecture_of(cpu("GenuineIntel", 6, 0x55, brand))->fma.w512;
        };
        CHECK(units("Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz") == 2);
        CHECK(units("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz") == 2);
        CHECK(units("Intel(R) Xeon(R) Gold 5222 CPU @ 3.80GHz") == 2);
        CHECK(units("Intel(R) Xeon(R) Silver 4114 CPU @ 2.20GHz") == 1);
        CHECK(units("Intel(R) Xeon(R) Gold 5118 CPU @ 2.30GHz") == 1);
        CHECK(units("Intel Xeon Processor (Skylake, IBRS)") == 0);  // unknown
    }

    TEST_CASE("latencies") {
        const auto zen2 = microarchitecture_of(cpu("AuthenticAMD", 0x17, 0x31));
        const auto ice_lake = microarchitecture_of(cpu("GenuineIntel", 6, 0x6a));
        for (const ComputeKernel& kernel : compute_kernels()) {
            const bool plain = kernel.isa <= Isa::avx512;
            CHECK(chain_latency(*zen2, kernel) == (!plain ? 0 : kernel.fma ? 5 : 3));
            CHECK(chain_latency(*ice_lake, kernel) == (!plain ? 0 : 4));
        }
    }

    TEST_CASE("an unknown processor has no datasheet") {
        CHECK_FALSE(microarchitecture_of(cpu("AuthenticAMD", 0x99, 1)));
        CHECK_FALSE(microarchitecture_of(cpu("GenuineIntel", 0x19, 0x11)));
        CHECK_FALSE(microarchitecture_of(cpu("GenuineIntel", 6, 0x2a)));
    }
}
