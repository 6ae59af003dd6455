// A convolution as a matrix product: the patches of an image as columns, and back.
#pragma once

#include <cstdint>

#include "ridge/layer.hpp"

namespace ridge::blas {

/// Half-open range.
struct Range {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
};
/// The i-th of n nearly equal parts.
[[nodiscard]] Range part(std::int64_t size, std::int64_t i, std::int64_t n);

/// Row r = (channel, ky, kx) of the column matrix holds what tap (ky, kx) of the channel reads at
/// each output position p = oy ow + ox, zero in the padding. Writes rows x positions, dense, to
/// `columns`. `image` is the first channel of the group (channels x ih x iw).
void im2col(const Dims& dims, const float* image, Range rows, Range positions, float* columns);

/// Adds every element of the columns of `channels` (all taps, all positions) to the element of the
/// image that it was read from; sets those channels of `image` to zero first.
void col2im(const Dims& dims, const float* columns, Range channels, float* image);

}  // namespace ridge::blas
