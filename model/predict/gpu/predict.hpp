// The GPU predictor: work on a device with constants gives a time and its terms.
#pragma once

#include "model/predict/gpu/estimate.hpp"
#include "model/predict/gpu/work.hpp"

namespace ridge::gpu {

/// Time of one call. The constants must be those of the work's kernel class.
[[nodiscard]] Estimate estimate(const Work& work, const Device& device, const Constants& constants,
                                const Switches& switches = {});

}  // namespace ridge::gpu
