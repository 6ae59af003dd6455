// What a GPU is asked to do in one library call, in the vocabulary of GPU libraries: the unit that
// the GPU predictor takes and that a row of a public data set describes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ridge/layer.hpp"
#include "ridge/units.hpp"

namespace ridge::gpu {

enum class WorkKind {
    gemm,         ///< batch x (m x n x k), column-major as cuBLAS has it: C is m x n
    convolution,  ///< dims, in the pass
    elementwise,  ///< rows x cols elements, `reads` tensors in, `writes` tensors out
    softmax,      ///< over cols, for each of rows
    layer_norm,   ///< likewise
    batch_norm,   ///< dims
    pooling,      ///< dims
    recurrent,    ///< timesteps x gates x (hidden x batch x hidden)
};
[[nodiscard]] std::string_view to_string(WorkKind kind);

/// Which libraries run the work: they decide which algorithms exist. 0: unknown, taken as recent.
struct Stack {
    double cuda = 0, cudnn = 0;  ///< versions: 10.1, 7.6
    /// Library chose a convolution algorithm by measuring all of them (cudnnFind) and had memory
    /// for each; otherwise by its heuristic.
    bool autotuned = true;
    bool operator==(const Stack&) const = default;
};

struct Work {
    WorkKind kind = WorkKind::gemm;
    Pass pass = Pass::forward;
    DataType dtype = DataType::f32;  ///< storage; arithmetic is f32 or the tensor units' for it
    bool tensor_units = false;       ///< the library may use them for this type
    Stack stack;

    /// Copies of its weights that the caller cycles through, at most: as many as it needs to fill
    /// L2. 1: the same tensors in every call; 0: nothing is left in L2 from the call before.
    int most_copies = 0;

    std::int64_t batch = 1, m = 0, n = 0, k = 0;  ///< gemm
    bool transpose_a = false, transpose_b = false;
    bool accumulate = false;  ///< beta = 1: C is read too

    Dims dims;  ///< convolution, pooling, batch_norm

    std::int64_t rows = 0, cols = 0;  ///< elementwise, softmax, layer_norm
    int reads = 1, writes = 1;        ///< elementwise
    double flops_per_element = 1;     ///< elementwise: of the slowest function involved

    std::int64_t hidden = 0, timesteps = 0;  ///< recurrent; batch above
    int gates = 1;                           ///< 1 plain, 3 GRU, 4 LSTM
};

/// Multiply-adds count 2; padding taps count, as the data sets count them.
[[nodiscard]] Flops work_flops(const Work& work);
/// Each tensor once.
[[nodiscard]] Bytes work_bytes(const Work& work);

/// A text that is equal for rows of one shape whatever their pass, batch, precision and device:
/// what a split by shape keeps together.
[[nodiscard]] std::string shape_key(const Work& work);

}  // namespace ridge::gpu
