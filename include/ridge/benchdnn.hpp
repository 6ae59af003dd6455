// Layers in the words of oneDNN's benchdnn.
#pragma once

#include <optional>
#include <string>

#include "ridge/layer.hpp"
#include "ridge/network.hpp"

namespace ridge {

/// Arguments of `benchdnn` (3.x) that run this pass of the layer, to measure the row without
/// Ridgepoint: "--conv --dir=FWD_B --dt=f32 mb16ic64...". Nothing where benchdnn has no such
/// problem (update, dropout, split, other).
[[nodiscard]] std::optional<std::string> benchdnn_line(const Layer& layer, Pass pass);

/// Whether a file is a problem list or batch file: named after a driver ("conv_shapes_alexnet"), or
/// beginning with options. YAML files are none.
[[nodiscard]] bool is_benchdnn_list(const std::string& path);

/// A list as a network whose layers do not follow each other (Network::chained is false). Options
/// that decide the work are used (--dir, --dt, --alg, --mb, --batch); the others are told in the
/// description. Throws Error bad_input naming file and line.
[[nodiscard]] Network read_benchdnn_list(const std::string& path);

}  // namespace ridge
