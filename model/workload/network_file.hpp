// Network files: YAML with one benchdnn line per layer (docs/formats.md, "Network files").
#pragma once

#include <string>

#include "ridge/network.hpp"

namespace ridge::workload {

/// Reads a file as it is written: repeated layers unrolled, no split layers, all training passes.
/// Throws Error bad_input naming file, line, key.
[[nodiscard]] Network read_network_file(const std::string& path);

/// Checks that every layer's input has the shape its producers give; inserts split layers; drops
/// the passes that training does not need. `place` names the network in errors.
[[nodiscard]] Network connect(Network network, const std::string& place);

}  // namespace ridge::workload
