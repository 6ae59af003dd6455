// What the processor can execute, from CPUID and from what the operating system saves (XCR0).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ridge/machine.hpp"

namespace ridge::probe {

struct CpuFeatures {
    std::string vendor;  ///< "GenuineIntel", "AuthenticAMD", ...
    std::string brand;   ///< processor name as CPUID gives it, without surrounding blanks
    int family = 0, model = 0, stepping = 0;  ///< with the extended fields added
    bool hypervisor = false;
    bool sse2 = false, avx2 = false, fma = false;
    bool avx512 = false;  ///< F, BW, VL and DQ: what this product's kernels use
    bool avx512_bf16 = false, avx512_vnni = false;
    bool amx_bf16 = false, amx_int8 = false;

    /// The words of Machine::isa_flags, spelled as Linux spells them.
    [[nodiscard]] std::vector<std::string> flags() const;
    /// Whether kernels of an instruction set may run, with its multiply-add form or without.
    [[nodiscard]] bool supports(Isa isa, bool with_fma, DataType dtype) const;
};

/// Registers eax, ebx, ecx, edx of CPUID for a leaf and subleaf.
using Cpuid =
    std::function<std::array<std::uint32_t, 4>(std::uint32_t leaf, std::uint32_t subleaf)>;

/// Decodes. `xcr0` is read only when CPUID says that it can be. A feature that the operating
/// system does not save on a task switch counts as absent.
[[nodiscard]] CpuFeatures decode_features(const Cpuid& cpuid,
                                          const std::function<std::uint64_t()>& xcr0);

/// This processor. Asks the kernel for permission to use AMX tiles where they exist (Linux grants
/// them per process); denied means absent.
[[nodiscard]] CpuFeatures this_cpu();

}  // namespace ridge::probe
