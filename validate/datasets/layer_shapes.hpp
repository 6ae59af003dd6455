// Layers of network logs as work: what the readers of whole networks share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/predict/gpu/work.hpp"

namespace ridge::validate {

/// "128 3 224 224" or "128x3x224x224"; empty for anything else.
[[nodiscard]] std::vector<std::int64_t> shape_of(std::string_view text, char separator);

/// Convolution or pooling window from the shapes of its tensors (n, c, h, w). Nothing when a shape
/// has not four sizes.
struct Window {
    std::int64_t kernel = 1, stride = 1, pad = 0;
};
[[nodiscard]] std::optional<Dims> window_dims(const std::vector<std::int64_t>& src,
                                              const std::vector<std::int64_t>& dst, Window window,
                                              std::int64_t groups = 1);

/// A fully connected layer as the product that the framework calls: forward, or both gradients
/// (Pass::backward, which counts twice the work).
void fill_inner_product(gpu::Work& work, const std::vector<std::int64_t>& src,
                        const std::vector<std::int64_t>& dst);
/// ReLU: forward reads and writes one tensor, backward reads two and writes one.
void fill_relu(gpu::Work& work, const std::vector<std::int64_t>& src);

}  // namespace ridge::validate
