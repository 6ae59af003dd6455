#include "collectors/probe/sse_transition.hpp"

#include <vector>

#include "collectors/probe/team.hpp"
#include "collectors/probe/window_length.hpp"
#include "ridge/error.hpp"

namespace ridge::probe {
namespace {

constexpr double window_s = 250e-6;
constexpr int windows_per_visit = 3;

#ifdef __x86_64__
#define RIDGE_ALTERNATE(name, wide, narrow)               \
    __attribute__((noinline)) void name(std::int64_t n) { \
        asm volatile(                                     \
            ".p2align 6\n"                                \
            "1:\n\t" wide "\n\t" narrow                   \
            "\n\t"                                        \
            "dec %[n]\n\t"                                \
            "jnz 1b\n\t"                                  \
            "vzeroupper\n\t"                              \
            : [n] "+r"(n)                                 \
            :                                             \
            : "cc", "xmm0", "xmm1");                      \
    }
RIDGE_ALTERNATE(legacy_256, "vpaddd %%ymm1, %%ymm1, %%ymm1", "movq %[n], %%xmm0")
RIDGE_ALTERNATE(vex_256, "vpaddd %%ymm1, %%ymm1, %%ymm1", "vmovq %[n], %%xmm0")
RIDGE_ALTERNATE(legacy_512, "vpaddd %%zmm1, %%zmm1, %%zmm1", "movq %[n], %%xmm0")
RIDGE_ALTERNATE(vex_512, "vpaddd %%zmm1, %%zmm1, %%zmm1", "vmovq %[n], %%xmm0")
#undef RIDGE_ALTERNATE
#endif

}  // namespace

void alternate(std::int64_t times, ScalarMove move, bool avx512) {
#ifdef __x86_64__
    if (move == ScalarMove::legacy_sse) return avx512 ? legacy_512(times) : legacy_256(times);
    return avx512 ? vex_512(times) : vex_256(times);
#else
    (void)times, (void)move, (void)avx512;
    throw not_possible("SSE/AVX transitions", "this processor has no such instructions");
#endif
}

Task sse_transition_task(const CpuFeatures& cpu) {
    Task task;
    task.name = "SSE/AVX transition";
    task.measure = [avx512 = cpu.avx512, count = std::int64_t{0}](
                       int visit, std::vector<WindowSample>& samples) mutable {
        const auto work = [&](std::int64_t n) { alternate(n, ScalarMove::legacy_sse, avx512); };
        if (count == 0) count = repetitions_for(window_s, work);
        for (int i = 0; i < windows_per_visit; ++i) {
            const Interval window = timed([&] { work(count); });
            if (undisturbed(window))
                samples.push_back({static_cast<double>(count) / window.length_s(), visit, 0});
        }
    };
    return task;
}

}  // namespace ridge::probe
