// Counts of a large batch from those of two small ones: a kernel that does the same for every image
// asks for so much once and so much for each image.
#pragma once

#include <cstdint>

#include "ridge/demand.hpp"

namespace ridge::app {

/// Batches that are traced when a larger one is asked for. Not 1: libraries have other kernels for
/// a single image.
inline constexpr std::int64_t small_batch = 2, large_batch = 4;

/// The line through the counts at small_batch and large_batch, at `batch`; what is no count is that
/// of large_batch. Footprint and distinct bytes are left to the caller, who knows the dimensions.
[[nodiscard]] PassDemand extrapolate(const PassDemand& small, const PassDemand& large,
                                     std::int64_t batch);

}  // namespace ridge::app
