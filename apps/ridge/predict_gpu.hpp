// `ridge predict` on a machine that is a GPU.
#pragma once

#include "apps/ridge/predict_job.hpp"

namespace ridge::app {

/// A training step from the shipped GPU calibrations. Throws what gpu::device_of throws.
[[nodiscard]] PredictedStep predict_gpu_step(const Network& network, const Machine& machine);

}  // namespace ridge::app
