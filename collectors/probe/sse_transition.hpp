// What a legacy SSE instruction costs between wide ones whose upper halves are in use. Some cores
// save and restore the upper halves (hundreds of cycles), some merge them (a few), some do neither.
#pragma once

#include <cstdint>

#include "collectors/probe/cpu_features.hpp"
#include "collectors/probe/schedule.hpp"

namespace ridge::probe {

/// How the scalar between the wide instructions is moved.
enum class ScalarMove { legacy_sse, vex };

/// A wide addition and a move of a general-purpose register into a vector register, `times` times;
/// 512 bits wide where the processor has them, else 256. Precondition: AVX2.
void alternate(std::int64_t times, ScalarMove move, bool avx512);

/// Windows are round trips/s, on one thread. Precondition: AVX2.
[[nodiscard]] Task sse_transition_task(const CpuFeatures& cpu);

}  // namespace ridge::probe
