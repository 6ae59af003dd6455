// Dot-product instructions of narrow types: AVX-512 BF16 and VNNI, and AMX tiles.
#include "collectors/probe/compute_kernels.hpp"
#include "collectors/probe/compute_loops.hpp"
#include "collectors/probe/kernel_loop.hpp"

namespace ridge::probe {

// a += sum of 2 products of bf16, or of 4 products of u8 and s8, in each 32-bit lane
#define DOT_BF16(k) "vdpbf16ps %%zmm15, %%zmm14, %%zmm" #k "\n\t"
#define DOT_S8(k) "vpdpbusd %%zmm15, %%zmm14, %%zmm" #k "\n\t"
RIDGE_KERNEL(avx512_dot_bf16, "avx512f,avx512bf16", z, RIDGE_TIMES_12(DOT_BF16))
RIDGE_KERNEL(avx512_dot_bf16_chain, "avx512f,avx512bf16", z, RIDGE_CHAIN_16(DOT_BF16))
RIDGE_KERNEL(avx512_dot_s8, "avx512f,avx512vnni", z, RIDGE_TIMES_12(DOT_S8))
RIDGE_KERNEL(avx512_dot_s8_chain, "avx512f,avx512vnni", z, RIDGE_CHAIN_16(DOT_S8))

// Tiles 0 to 5 accumulate, 6 and 7 are the operands. Every row of an operand tile is the same 64
// bytes (stride 0), so the accumulators stay equal in every element; each is loaded from and left
// as the 64 bytes of its first row.
#define TILE_BF16(k) "tdpbf16ps %%tmm7, %%tmm6, %%tmm" #k "\n\t"
#define TILE_S8(k) "tdpbssd %%tmm7, %%tmm6, %%tmm" #k "\n\t"
#define TILE_TIMES_6(F) F(0) F(1) F(2) F(3) F(4) F(5)

namespace {

constexpr int tile_rows = 16;
using Tile = std::byte[tile_rows * register_bytes];

}  // namespace

#define RIDGE_TILE_KERNEL(name, isa_target, body)                                          \
    __attribute__((target(isa_target), noinline)) void name(                               \
        std::int64_t iterations, const std::byte* x, const std::byte* y, std::byte* acc) { \
        alignas(register_bytes) Tile out[6];                                               \
        const std::int64_t zero = 0;                                                       \
        const std::int64_t row = register_bytes;                                           \
        asm volatile(                                                                      \
            "tileloadd (%[x],%[zero],1), %%tmm6\n\t"                                       \
            "tileloadd (%[y],%[zero],1), %%tmm7\n\t"                                       \
            "tileloadd 0(%[acc],%[zero],1), %%tmm0\n\t"                                    \
            "tileloadd 64(%[acc],%[zero],1), %%tmm1\n\t"                                   \
            "tileloadd 128(%[acc],%[zero],1), %%tmm2\n\t"                                  \
            "tileloadd 192(%[acc],%[zero],1), %%tmm3\n\t"                                  \
            "tileloadd 256(%[acc],%[zero],1), %%tmm4\n\t"                                  \
            "tileloadd 320(%[acc],%[zero],1), %%tmm5\n\t"                                  \
            ".p2align 6\n"                                                                 \
            "1:\n\t" body                                                                  \
            "dec %[n]\n\t"                                                                 \
            "jnz 1b\n\t"                                                                   \
            "tilestored %%tmm0, 0(%[out],%[row],1)\n\t"                                    \
            "tilestored %%tmm1, 1024(%[out],%[row],1)\n\t"                                 \
            "tilestored %%tmm2, 2048(%[out],%[row],1)\n\t"                                 \
            "tilestored %%tmm3, 3072(%[out],%[row],1)\n\t"                                 \
            "tilestored %%tmm4, 4096(%[out],%[row],1)\n\t"                                 \
            "tilestored %%tmm5, 5120(%[out],%[row],1)\n\t"                                 \
            : [n] "+r"(iterations)                                                         \
            : [x] "r"(x), [y] "r"(y), [acc] "r"(acc), [out] "r"(out), [zero] "r"(zero),    \
              [row] "r"(row)                                                               \
            : "cc", "memory");                                                             \
        for (int k = 0; k < 6; ++k)                                                        \
            __builtin_memcpy(acc + k * register_bytes, out[k], register_bytes);            \
    }

RIDGE_TILE_KERNEL(amx_dot_bf16, "amx-tile,amx-bf16", TILE_TIMES_6(TILE_BF16))
RIDGE_TILE_KERNEL(amx_dot_bf16_chain, "amx-tile,amx-bf16", RIDGE_CHAIN_8(TILE_BF16))
RIDGE_TILE_KERNEL(amx_dot_s8, "amx-tile,amx-int8", TILE_TIMES_6(TILE_S8))
RIDGE_TILE_KERNEL(amx_dot_s8_chain, "amx-tile,amx-int8", RIDGE_CHAIN_8(TILE_S8))

// Palette 1: eight tiles of 16 rows of 64 bytes (Intel SDM, LDTILECFG).
__attribute__((target("amx-tile"))) void amx_configure_tiles() {
    struct alignas(64) {
        std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
        std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
        std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } configuration;
    asm volatile("ldtilecfg %0" : : "m"(configuration));
}

__attribute__((target("amx-tile"))) void amx_release_tiles() {
    asm volatile("tilerelease");
}

}  // namespace ridge::probe
