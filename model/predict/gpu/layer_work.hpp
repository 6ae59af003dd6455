// Layers and passes of a network as GPU work, and their predictions.
#pragma once

#include <vector>

#include "model/predict/gpu/calibration.hpp"
#include "ridge/layer.hpp"
#include "ridge/prediction.hpp"

namespace ridge::gpu {

/// Work of a pass as today's libraries run it, its tensors in memory as the step leaves them.
[[nodiscard]] Work work_of(const Layer& layer, Pass pass);

/// Constants for a kernel that follows another in a step, without the floor of timing by events.
[[nodiscard]] Constants in_a_step(Constants constants);

/// Time of a pass with its terms and interval; `outside` names what was not calibrated.
[[nodiscard]] Prediction predict(const Layer& layer, Pass pass, const Device& device,
                                 const std::vector<CalibrationFile>& calibrations);

}  // namespace ridge::gpu
