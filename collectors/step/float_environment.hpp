// Denormal numbers make some instructions a hundred times slower; training frameworks flush them
// to zero, and so does every thread that runs a step.
#pragma once

namespace ridge::step {

/// Sets FTZ and DAZ on this thread and on `threads` OpenMP threads, and makes that the number of
/// threads of later parallel regions of this thread. Does nothing about denormals off x86-64.
void prepare_threads(int threads);

/// True when this thread flushes denormals.
[[nodiscard]] bool flushes_denormals();

}  // namespace ridge::step
