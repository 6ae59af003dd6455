#include "collectors/probe/memory_kernels.hpp"

#include <algorithm>
#include <array>

#include "collectors/probe/kernel_loop.hpp"

namespace ridge::probe {
namespace {

constexpr std::array<float, 16> sixteen_of(float value) {
    std::array<float, 16> values{};
    values.fill(value);
    return values;
}
alignas(64) constexpr auto write_operand = sixteen_of(write_value);
alignas(64) constexpr auto triad_operand = sixteen_of(triad_factor);

// F(k, R, B) is one instruction on register k of kind R (xmm, ymm, zmm), which holds B bytes.
#define EIGHT(F, R, B) \
    F(0, R, B) F(1, R, B) F(2, R, B) F(3, R, B) F(4, R, B) F(5, R, B) F(6, R, B) F(7, R, B)

// Each kind moves only the pointers that it uses: at two loads a cycle there are few slots to
// spare.
#define MOVE(op, amount, p) op " " amount ", %[" p "]\n\t"
#define MOVE_read(op, amount) MOVE(op, amount, "b")
#define MOVE_write(op, amount) MOVE(op, amount, "a")
#define MOVE_copy(op, amount) MOVE_write(op, amount) MOVE_read(op, amount)
#define MOVE_triad(op, amount) MOVE_copy(op, amount) MOVE(op, amount, "c")

// Goes over `bytes` in steps of eight vectors, `passes` times. Register 15 holds the operand.
#define MEMORY_LOOP(name, kind, isa_target, B, prepare, body, operand, finish)                   \
    __attribute__((target(isa_target), noinline)) void name(MemoryArrays m, std::int64_t passes, \
                                                            ReadSums& sums) {                    \
        std::int64_t left = 0;                                                                   \
        const std::int64_t steps = m.bytes / (8 * B);                                            \
        asm volatile(prepare                                                               \
                     "2:\n\t"                                                              \
                     "mov %[steps], %[left]\n\t"                                           \
                     ".p2align 6\n"                                                        \
                     "1:\n\t" body MOVE_##kind("add", "$8*" #B)                            \
                     "dec %[left]\n\t"                                                     \
                     "jnz 1b\n\t" MOVE_##kind("sub", "%[bytes]")                           \
                     "dec %[passes]\n\t"                                                   \
                     "jnz 2b\n\t" finish                                                   \
                     : [a] "+r"(m.a), [b] "+r"(m.b), [c] "+r"(m.c), [left] "+r"(left),     \
                       [passes] "+r"(passes)                                               \
                     : [steps] "r"(steps), [bytes] "r"(m.bytes), [x] "r"(operand.data()),  \
                       [sums] "r"(sums.bytes)                                              \
                     : "cc", "memory", RIDGE_ALL_VECTOR_REGISTERS);     \
    }

#define ALL_KINDS(suffix, isa_target, V, R, B, LAST)                                               \
    MEMORY_LOOP(read_##suffix, read, isa_target, B, EIGHT(V##_ZERO, R, B), EIGHT(V##_FOLD, R, B),  \
                write_operand, EIGHT(V##_SUM, R, B) LAST)                                          \
    MEMORY_LOOP(write_##suffix, write, isa_target, B, V##_OPERAND(R), EIGHT(V##_WRITE, R, B),      \
                write_operand, LAST)                                                               \
    MEMORY_LOOP(write_nt_##suffix, write, isa_target, B, V##_OPERAND(R),                           \
                EIGHT(V##_WRITE_NT, R, B), write_operand, "sfence\n\t" LAST)                       \
    MEMORY_LOOP(copy_##suffix, copy, isa_target, B, "",                                            \
                EIGHT(V##_LOAD, R, B) EIGHT(V##_STORE, R, B), write_operand, LAST)                 \
    MEMORY_LOOP(copy_nt_##suffix, copy, isa_target, B, "",                                         \
                EIGHT(V##_LOAD, R, B) EIGHT(V##_STORE_NT, R, B), write_operand, "sfence\n\t" LAST) \
    MEMORY_LOOP(triad_##suffix, triad, isa_target, B, V##_OPERAND(R),                              \
                EIGHT(V##_TRIAD, R, B) EIGHT(V##_STORE, R, B), triad_operand, LAST)                \
    MEMORY_LOOP(triad_nt_##suffix, triad, isa_target, B, V##_OPERAND(R),                           \
                EIGHT(V##_TRIAD, R, B) EIGHT(V##_STORE_NT, R, B), triad_operand,                   \
                "sfence\n\t" LAST)

// Legacy encoding, 128 bits.
#define SSE_ZERO(k, R, B) "pxor %%" #R #k ", %%" #R #k "\n\t"
#define SSE_FOLD(k, R, B) "pxor " #B "*" #k "(%[b]), %%" #R #k "\n\t"
#define SSE_SUM(k, R, B) "movaps %%" #R #k ", " #B "*" #k "(%[sums])\n\t"
#define SSE_OPERAND(R) "movaps (%[x]), %%" #R "15\n\t"
#define SSE_WRITE(k, R, B) "movaps %%" #R "15, " #B "*" #k "(%[a])\n\t"
#define SSE_WRITE_NT(k, R, B) "movntps %%" #R "15, " #B "*" #k "(%[a])\n\t"
#define SSE_LOAD(k, R, B) "movaps " #B "*" #k "(%[b]), %%" #R #k "\n\t"
#define SSE_STORE(k, R, B) "movaps %%" #R #k ", " #B "*" #k "(%[a])\n\t"
#define SSE_STORE_NT(k, R, B) "movntps %%" #R #k ", " #B "*" #k "(%[a])\n\t"
#define SSE_TRIAD(k, R, B)                                                                    \
    "movaps " #B "*" #k "(%[c]), %%" #R #k "\n\t mulps %%" #R "15, %%" #R #k "\n\t addps " #B \
    "*" #k "(%[b]), %%" #R #k "\n\t"
ALL_KINDS(sse, "sse2", SSE, xmm, 16, "")

// VEX and EVEX encoding, 256 and 512 bits; the exclusive or of 512-bit registers has a name of its
// own.
#define VEC_ZERO(k, R, B) "vpxor %%xmm" #k ", %%xmm" #k ", %%xmm" #k "\n\t"
#define VEC_SUM(k, R, B) "vmovaps %%" #R #k ", " #B "*" #k "(%[sums])\n\t"
#define VEC_OPERAND(R) "vmovaps (%[x]), %%" #R "15\n\t"
#define VEC_WRITE(k, R, B) "vmovaps %%" #R "15, " #B "*" #k "(%[a])\n\t"
#define VEC_WRITE_NT(k, R, B) "vmovntps %%" #R "15, " #B "*" #k "(%[a])\n\t"
#define VEC_LOAD(k, R, B) "vmovaps " #B "*" #k "(%[b]), %%" #R #k "\n\t"
#define VEC_STORE(k, R, B) "vmovaps %%" #R #k ", " #B "*" #k "(%[a])\n\t"
#define VEC_STORE_NT(k, R, B) "vmovntps %%" #R #k ", " #B "*" #k "(%[a])\n\t"
#define VEC_TRIAD(k, R, B)                                                                \
    "vmovaps " #B "*" #k "(%[b]), %%" #R #k "\n\t vfmadd231ps " #B "*" #k "(%[c]), %%" #R \
    "15, %%" #R #k "\n\t"

#define VEC_FOLD(k, R, B) "vpxor " #B "*" #k "(%[b]), %%" #R #k ", %%" #R #k "\n\t"
ALL_KINDS(avx2, "avx2,fma", VEC, ymm, 32, "vzeroupper\n\t")
#undef VEC_FOLD
#define VEC_FOLD(k, R, B) "vpxorq " #B "*" #k "(%[b]), %%" #R #k ", %%" #R #k "\n\t"
ALL_KINDS(avx512, "avx512f", VEC, zmm, 64, "vzeroupper\n\t")

#define KINDS_OF(isa, suffix)                                                       \
    MemoryKernel{isa, AccessKind::read, false, read_##suffix},                      \
        MemoryKernel{isa, AccessKind::write, false, write_##suffix},                \
        MemoryKernel{isa, AccessKind::write, true, write_nt_##suffix},              \
        MemoryKernel{isa, AccessKind::copy, false, copy_##suffix},                  \
        MemoryKernel{isa, AccessKind::copy, true, copy_nt_##suffix},                \
        MemoryKernel{isa, AccessKind::triad, false, triad_##suffix}, MemoryKernel { \
        isa, AccessKind::triad, true, triad_nt_##suffix                             \
    }

constexpr std::array table{KINDS_OF(Isa::sse, sse), KINDS_OF(Isa::avx2, avx2),
                           KINDS_OF(Isa::avx512, avx512)};

}  // namespace

std::span<const MemoryKernel> memory_kernels() {
    return table;
}

std::vector<Isa> memory_widths(const CpuFeatures& cpu) {
    std::vector<Isa> widths;
    if (cpu.avx512) widths.push_back(Isa::avx512);
    if (cpu.fma) widths.push_back(Isa::avx2);
    if (widths.empty()) widths.push_back(Isa::sse);
    return widths;
}

int bits_of(Isa isa) {
    return isa == Isa::avx512 ? 512 : isa == Isa::avx2 ? 256 : 128;
}

int arrays_of(AccessKind kind) {
    if (kind == AccessKind::triad) return 3;
    return kind == AccessKind::copy ? 2 : 1;
}

MemoryArrays lay_out(AccessKind kind, std::byte* memory, std::int64_t total) {
    const int arrays = arrays_of(kind);
    MemoryArrays m;
    m.bytes = total / arrays / memory_block * memory_block;
    m.a = memory;
    m.b = arrays > 1 ? memory + m.bytes : memory;
    m.c = arrays > 2 ? memory + 2 * m.bytes : memory;
    return m;
}

}  // namespace ridge::probe
