// Network files: YAML with one layer line per layer (docs/formats.md, "Network files").
#pragma once

#include <string>
#include <vector>

#include "core/yaml.hpp"
#include "ridge/network.hpp"

namespace ridge::workload {

/// Reads a file: repeated layers unrolled, shapes checked, split layers inserted, passes that
/// training does not need dropped; mb as the lines say. Throws Error bad_input naming file, line,
/// key.
[[nodiscard]] Network read_network(const Yaml& file);

/// Checks that every layer's input has the shape its producers give and that in-place layers
/// destroy nothing; inserts split layers; drops the passes that training does not need. `places`
/// says for each layer where it was written, for errors.
[[nodiscard]] Network connect(Network network, const std::vector<std::string>& places);

/// The same without the checks, for graphs that view tensors in other shapes between layers.
[[nodiscard]] Network connect_unchecked(Network network);

}  // namespace ridge::workload
