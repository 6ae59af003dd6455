// Shapes of all tensors of an ONNX graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectors/import/onnx_graph.hpp"

namespace ridge::import {

struct OnnxSizes {
    std::int64_t batch = 0;  ///< first dimension of every input; 0: as the model says
    std::map<std::string, std::int64_t> dims;  ///< of symbolic dimensions
};

/// Gives every tensor a shape. Operators that this file knows, up to opset 23, are inferred here;
/// `others` is asked for the rest; what neither knows has the shape of its first input and is
/// listed in the result. Throws Error bad_input naming file and node for shapes that contradict
/// each other, and for a symbolic dimension without a size, naming the option.
[[nodiscard]] std::vector<std::string> infer_shapes(OnnxGraph& graph, const OnnxSizes& sizes,
                                                    const std::string& file,
                                                    OnnxShapeSource* others);

}  // namespace ridge::import
