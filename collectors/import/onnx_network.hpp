// ONNX models as networks: every operator that moves data becomes a layer, what only renames or
// reshapes becomes none, what is not known is listed and counted as bytes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collectors/import/onnx_shapes.hpp"
#include "ridge/network.hpp"

namespace ridge::import {

struct OnnxNetwork {
    Network network;
    /// Operators without a model of their own and how many of them there are; bytes only.
    std::map<std::string, int> bytes_only;
    /// Of them those that nobody knows, whose shapes are guesses too.
    std::map<std::string, int> unknown;
    /// False: tensors are reshaped between layers, so that layers cannot run one behind the other.
    bool chained = true;
};

/// Throws Error bad_input naming file and node.
[[nodiscard]] OnnxNetwork onnx_network(OnnxGraph graph, const OnnxSizes& sizes,
                                       const std::string& file);

/// Reads the file. Weights in other files need not be there.
[[nodiscard]] OnnxNetwork load_onnx_network(const std::string& path, const OnnxSizes& sizes);

}  // namespace ridge::import
