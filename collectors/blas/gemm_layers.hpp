// Convolution, inner product and matrix product on OpenBLAS's single-precision product. OpenMP
// threads share the work and each calls OpenBLAS with one thread: its own pool would compete with
// OpenMP's for the same cores, and would not follow the run's binding.
#pragma once

#include <cstddef>

#include "ridge/layer.hpp"

namespace ridge::blas {

/// Tensors of a layer in plain order; those that a pass does not use may be null. Weights are
/// oc x ic/g x kh x kw (convolution), oc x k (inner product), k x n (matmul).
struct Tensors {
    float *src = nullptr, *wei = nullptr, *bias = nullptr, *dst = nullptr;
    float *diff_src = nullptr, *diff_wei = nullptr, *diff_bias = nullptr, *diff_dst = nullptr;
};

/// False for a convolution whose image is its column matrix already (1x1, stride 1, no padding).
[[nodiscard]] bool needs_columns(const Layer& layer);
/// Elements of the column buffers of all threads for a pass; 0 where none is needed.
[[nodiscard]] std::size_t column_elements(const Layer& layer, Pass pass, int threads);

/// Runs a pass of a convolution, inner product or matmul on `threads` threads. `columns` has
/// column_elements() elements.
void run(const Layer& layer, Pass pass, const Tensors& tensors, float* columns, int threads);

}  // namespace ridge::blas
