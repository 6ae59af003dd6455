// The work of a training step that kernel libraries leave to the framework: optimizer update,
// dropout, loss and its gradient, running statistics. Portable loops that the compiler vectorises
// once for each instruction set; the widest that this CPU has is chosen at run time, and OpenMP
// threads share the elements in equal contiguous parts. Tensors are f32 or bf16 (computed in f32).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ridge/layer.hpp"

namespace ridge::step {

/// Implementation name of a row: "ridge:NAME:avx512", ":avx2" or ":generic".
[[nodiscard]] std::string plain_implementation(std::string_view name);

struct Sgd {
    float rate = 0, momentum = 0;
};
/// m = momentum m + gradient; w = w - rate m, over `count` elements of type `type`.
void sgd_momentum(DataType type, void* weights, const void* gradient, void* momentum,
                  std::size_t count, Sgd sgd);

/// An element is kept (mask 1) where uniform(seed, index) >= ratio; dst = kept ? scale src : 0.
/// dst may be src. The same seed gives the same mask: repeated executions agree.
void dropout_forward(DataType type, const void* src, void* dst, std::uint8_t* mask,
                     std::size_t count, float ratio, float scale, std::uint32_t seed);
/// diff_src = mask ? scale diff_dst : 0; diff_src may be diff_dst.
void dropout_backward(DataType type, const void* diff_dst, void* diff_src, const std::uint8_t* mask,
                      std::size_t count, float scale);

/// Mean over images of -log(probability of the label). Probabilities are images x classes.
[[nodiscard]] float cross_entropy(DataType type, const void* probabilities,
                                  const std::int32_t* labels, std::size_t images,
                                  std::size_t classes);
/// Gradient of cross_entropy(softmax(x)) with respect to x: (p - [class is label]) / images.
void cross_entropy_gradient(DataType type, const void* probabilities, const std::int32_t* labels,
                            void* diff_src, std::size_t images, std::size_t classes);

/// running = (1 - weight) running + weight batch.
void running_average(float* running, const float* batch, std::size_t count, float weight);

}  // namespace ridge::step
