// The matrix layers of a training step on a plain BLAS: the baseline beside a library of tuned
// kernels.
#pragma once

#include "ridge/kernel.hpp"
#include "ridge/network.hpp"

namespace ridge {

/// Forward, backward_data and backward_weights of the convolutions (im2col and a matrix product),
/// inner products and matmuls of `network`, in plain formats, in the order in which the step runs
/// them. Every layer has tensors of its own with made-up values: the layers between them are not
/// run and stand in TrainingStep::unavailable, updates included. Column buffers are the scratchpad,
/// shared by all rows, one per thread. `creation` is absent: nothing is created.
///
/// OpenMP threads share the work, each calling OpenBLAS with one thread; OpenBLAS's own pool is set
/// to one thread for the process.
///
/// Throws Error not_possible for other types than f32, bad_input for a step that does not fit in
/// memory (nothing is allocated).
[[nodiscard]] TrainingStep build_openblas_step(const Network& network, const StepOptions& options);

}  // namespace ridge
