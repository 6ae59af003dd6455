// What each pass of each layer computes, in double precision by the definition, nested loops and
// nothing else: the independent truth for the kernels of every library.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge::naive {

/// Tensors by role, in plain order.
using Values = std::map<std::string, std::vector<double>>;

/// SGD constants of Pass::update.
struct Sgd {
    double rate = 0, momentum = 0;
};

/// The outputs of a pass from its inputs. Roles as in StepMemory; several inputs of sum, concat
/// and split are numbered ("src0").
[[nodiscard]] Values compute(const Layer& layer, Pass pass, const Values& in, Sgd sgd = {});

}  // namespace ridge::naive
