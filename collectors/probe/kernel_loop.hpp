// Building blocks of the assembly loops (private to the kernel sources). A loop is made of one
// macro per instruction, named by the number of the accumulator register it works on.
#pragma once

#include <cstddef>
#include <cstdint>

#define RIDGE_TIMES_7(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6)
#define RIDGE_TIMES_12(F) RIDGE_TIMES_7(F) F(7) F(8) F(9) F(10) F(11)
#define RIDGE_TIMES_14(F) RIDGE_TIMES_12(F) F(12) F(13)
// Multiplications on registers 0 to 6 and additions on 7 to 13, in pairs: in the order mul add mul
// add, Zen 4's schedulers leave a seventh of the 512-bit slots empty.
// The formatter never settles on these macros.
// clang-format off
#define RIDGE_MIX_28(MUL, ADD)                                                                     \
    MUL(0)                                                                                         \
    MUL(1)                                                                                         \
    ADD(7)                                                                                         \
    ADD(8)                                                                                         \
    MUL(2)                                                                                         \
    MUL(3)                                                                                         \
    ADD(9) ADD(10) MUL(4) MUL(5) ADD(11) ADD(12) MUL(6) MUL(0) ADD(13) ADD(7) MUL(1) MUL(2) ADD(8) \
        ADD(9) MUL(3) MUL(4) ADD(10) ADD(11) MUL(5) MUL(6) ADD(12) ADD(13)
// clang-format on
#define RIDGE_CHAIN_8(F) F(0) F(0) F(0) F(0) F(0) F(0) F(0) F(0)
#define RIDGE_CHAIN_16(F) RIDGE_CHAIN_8(F) RIDGE_CHAIN_8(F)

#define RIDGE_ALL_VECTOR_REGISTERS                                                           \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

// Register k of the width `R` (xmm, ymm, zmm) from and to 64 k bytes into the accumulators. x is in
// register 14, y in register 15.
#define RIDGE_LOAD_x(k) "movups 64*" #k "(%[acc]), %%xmm" #k "\n\t"
#define RIDGE_STORE_x(k) "movups %%xmm" #k ", 64*" #k "(%[acc])\n\t"
#define RIDGE_LOAD_vx(k) "vmovups 64*" #k "(%[acc]), %%xmm" #k "\n\t"
#define RIDGE_STORE_vx(k) "vmovups %%xmm" #k ", 64*" #k "(%[acc])\n\t"
#define RIDGE_LOAD_y(k) "vmovups 64*" #k "(%[acc]), %%ymm" #k "\n\t"
#define RIDGE_STORE_y(k) "vmovups %%ymm" #k ", 64*" #k "(%[acc])\n\t"
#define RIDGE_LOAD_z(k) "vmovups 64*" #k "(%[acc]), %%zmm" #k "\n\t"
#define RIDGE_STORE_z(k) "vmovups %%zmm" #k ", 64*" #k "(%[acc])\n\t"

#define RIDGE_OPERANDS_x "movups (%[x]), %%xmm14\n\t movups (%[y]), %%xmm15\n\t"
#define RIDGE_OPERANDS_vx "vmovups (%[x]), %%xmm14\n\t vmovups (%[y]), %%xmm15\n\t"
#define RIDGE_OPERANDS_y "vmovups (%[x]), %%ymm14\n\t vmovups (%[y]), %%ymm15\n\t"
#define RIDGE_OPERANDS_z "vmovups (%[x]), %%zmm14\n\t vmovups (%[y]), %%zmm15\n\t"

// Dirty upper halves make legacy SSE code slow on some cores, so every VEX loop leaves clean ones.
#define RIDGE_CLEAN_x ""
#define RIDGE_CLEAN_vx "vzeroupper\n\t"
#define RIDGE_CLEAN_y "vzeroupper\n\t"
#define RIDGE_CLEAN_z "vzeroupper\n\t"

// The loop starts on a cache line, so that its speed does not depend on where it was linked.
#define RIDGE_KERNEL(name, isa_target, width, body)                                        \
    __attribute__((target(isa_target), noinline)) void name(                               \
        std::int64_t iterations, const std::byte* x, const std::byte* y, std::byte* acc) { \
        asm volatile(RIDGE_TIMES_14(RIDGE_LOAD_##width) RIDGE_OPERANDS_##width             \
                     ".p2align 6\n"                                                        \
                     "1:\n\t" body                                                         \
                     "dec %[n]\n\t"                                                        \
                     "jnz 1b\n\t" RIDGE_TIMES_14(RIDGE_STORE_##width) RIDGE_CLEAN_##width  \
                     : [n] "+r"(iterations)                                                \
                     : [x] "r"(x), [y] "r"(y), [acc] "r"(acc)                              \
                     : "cc", "memory", RIDGE_ALL_VECTOR_REGISTERS);                        \
    }
