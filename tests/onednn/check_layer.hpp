// Runs the step of one layer and compares what each of its rows writes with the naive reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridge/kernel.hpp"
#include "ridge/network.hpp"

namespace ridge::test {

using BuildStep = std::function<TrainingStep(const Network&, const StepOptions&)>;

struct LayerCheck {
    std::string line;
    DataType dtype = DataType::f32;
    StepOptions options;
    double source_scale = 1;  ///< the layer's inputs are uniform in +-source_scale
};

/// doctest assertions for every pass that training runs for the layer: each output tensor agrees
/// element by element, and no pass is missing that `unavailable` does not list.
/// Returns the passes that were compared.
std::vector<Pass> check_layer(const BuildStep& build, const LayerCheck& check);

}  // namespace ridge::test
