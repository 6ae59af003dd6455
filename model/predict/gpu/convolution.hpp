// Time of a convolution pass: every algorithm that the library's version has, and the fastest.
#pragma once

#include "model/predict/gpu/estimate.hpp"
#include "model/predict/gpu/work.hpp"

namespace ridge::gpu {

/// Without the launch; Pass::backward is both gradients one after the other.
[[nodiscard]] Estimate convolution(const Work& work, const Device& device,
                                   const Constants& constants, const Switches& switches);

/// Peak that products of this type run at, and the type they really use when the tensor units
/// cannot (sizes, missing units). FLOP/s.
[[nodiscard]] double peak_of(const Work& work, const Device& device);

/// Share of the work's tensors that L2 still holds from the call before (Work::most_copies).
[[nodiscard]] double resident_share(const Work& work, const Device& device,
                                    const Constants& constants);

/// Blocks of the fused Winograd kernel: 32 tiles of 2 x 2 outputs, arranged over images, rows and
/// columns as one of the kernel's variants, by 32 output channels.
[[nodiscard]] double fused_winograd_blocks(double mb, double oc, double oh, double ow,
                                           bool one_variant);

}  // namespace ridge::gpu
