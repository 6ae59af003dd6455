#include "collectors/clock/quiet_probe.hpp"

#include <omp.h>
#include <sys/resource.h>

#include <cstdint>

#include "collectors/clock/clock.hpp"

namespace ridge::clock {
namespace {

// The loops are assembly, so that no compiler removes or fuses anything; each starts on a cache
// line, so that its speed does not depend on where it was linked.

/// 8 dependent multiplications a turn. 3 cycles each on every x86-64 core since Nehalem and Zen.
constexpr double chain_cycles_per_turn = 8 * 3;
void chain_loop(std::int64_t turns) {
    std::uint32_t value = 1;
    asm volatile(
        ".p2align 6\n"
        "1:\n\t"
        "imul %[value], %[value]\n\t imul %[value], %[value]\n\t"
        "imul %[value], %[value]\n\t imul %[value], %[value]\n\t"
        "imul %[value], %[value]\n\t imul %[value], %[value]\n\t"
        "imul %[value], %[value]\n\t imul %[value], %[value]\n\t"
        "dec %[turns]\n\t"
        "jnz 1b\n\t"
        : [turns] "+r"(turns), [value] "+r"(value)::"cc");
}

// Additions of a register, not of a constant: recent cores fold chains of the latter. Four of them
// beside two nops fill both the six slots of a wide front end and the integer units behind it;
// narrower cores are limited by their front end alone.
#define RIDGE_ISSUE_GROUP                                                               \
    "add %%rsi, %%r8\n\t add %%rsi, %%r9\n\t add %%rsi, %%r10\n\t add %%rsi, %%r11\n\t" \
    "nop\n\t nop\n\t"
constexpr double issue_instructions_per_turn = 8 * 6 + 2;
void issue_loop(std::int64_t turns) {
    asm volatile(
        ".p2align 6\n"
        "1:\n\t" RIDGE_ISSUE_GROUP RIDGE_ISSUE_GROUP RIDGE_ISSUE_GROUP RIDGE_ISSUE_GROUP
            RIDGE_ISSUE_GROUP RIDGE_ISSUE_GROUP RIDGE_ISSUE_GROUP RIDGE_ISSUE_GROUP
        "dec %[turns]\n\t"
        "jnz 1b\n\t"
        : [turns] "+r"(turns)::"cc", "rsi", "r8", "r9", "r10", "r11");
}

// Twelve accumulators cover latency x units of every core known (2 x 5 on Haswell).
#define RIDGE_TIMES_12(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define RIDGE_REGISTERS                                                                      \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
        "xmm11", "xmm14", "xmm15"
// Operands are zero: no denormals, no overflow, nothing to load.
#define RIDGE_FMA_LOOP(name, isa, clear, body, finish)                                     \
    __attribute__((target(isa), noinline)) void name(std::int64_t turns) {                 \
        asm volatile(RIDGE_TIMES_12(clear) clear(14) clear(15)                           \
                     ".p2align 6\n"                                                      \
                     "1:\n\t" RIDGE_TIMES_12(body) "dec %[turns]\n\t jnz 1b\n\t" finish  \
                     : [turns] "+r"(turns)::"cc", RIDGE_REGISTERS); \
    }
#define RIDGE_CLEAR_VEX(k) "vpxor %%xmm" #k ", %%xmm" #k ", %%xmm" #k "\n\t"
#define RIDGE_CLEAR_SSE(k) "pxor %%xmm" #k ", %%xmm" #k "\n\t"
#define RIDGE_FMA_512(k) "vfmadd213ps %%zmm15, %%zmm14, %%zmm" #k "\n\t"
#define RIDGE_FMA_256(k) "vfmadd213ps %%ymm15, %%ymm14, %%ymm" #k "\n\t"
#define RIDGE_MUL_128(k) "mulps %%xmm14, %%xmm" #k "\n\t"
// Dirty upper halves make legacy SSE code slow on some cores.
RIDGE_FMA_LOOP(fma_loop_512, "avx512f", RIDGE_CLEAR_VEX, RIDGE_FMA_512, "vzeroupper\n\t")
RIDGE_FMA_LOOP(fma_loop_256, "avx2,fma", RIDGE_CLEAR_VEX, RIDGE_FMA_256, "vzeroupper\n\t")
RIDGE_FMA_LOOP(fma_loop_128, "sse2", RIDGE_CLEAR_SSE, RIDGE_MUL_128, "")

struct FmaKernel {
    void (*loop)(std::int64_t turns);
    double flops_per_turn;
};

/// Of the widest kind that processor and operating system support; without FMA, multiplications.
FmaKernel widest_fma() {
    if (__builtin_cpu_supports("avx512f")) return {fma_loop_512, 12 * 16 * 2};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {fma_loop_256, 12 * 8 * 2};
    return {fma_loop_128, 12 * 4};
}

// About 6 microseconds each on a current core. The first turns fetch the code and wake up the wide
// units; they are not measured.
constexpr std::int64_t chain_turns = 1000, issue_turns = 2000, fma_turns = 2000, first_turns = 40;

template <class Loop>
double turns_per_s(Loop loop, std::int64_t turns) {
    loop(first_turns);
    const Seconds start = now();
    loop(turns);
    return static_cast<double>(turns) / (now() - start - read_cost()).value();
}

std::int64_t preemptions_of_this_thread() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

}  // namespace

ProbeReading read_quiet_probe() {
    static const FmaKernel kernel = widest_fma();
    ProbeReading reading;
    reading.fma = FlopsPerSecond(turns_per_s(kernel.loop, fma_turns) * kernel.flops_per_turn);
    reading.clock = Hertz(turns_per_s(chain_loop, chain_turns) * chain_cycles_per_turn);
    reading.issue =
        InstructionsPerSecond(turns_per_s(issue_loop, issue_turns) * issue_instructions_per_turn);
    reading.preemptions = preemptions_of_this_thread();
    reading.at = now();
    return reading;
}

void read_quiet_probe(std::span<ProbeReading> readings) {
    if (readings.size() == 1) {
        readings[0] = read_quiet_probe();
        return;
    }
#pragma omp parallel num_threads(static_cast<int>(readings.size()))
    {
        // All start together: the first threads would otherwise read beside idle cores.
#pragma omp barrier
        readings[static_cast<std::size_t>(omp_get_thread_num())] = read_quiet_probe();
    }
}

}  // namespace ridge::clock
