// The layers of a stored run as a network, so that what was measured or imported can be predicted.
#pragma once

#include <string>
#include <vector>

#include "ridge/measurement.hpp"
#include "ridge/network.hpp"

namespace ridge::app {

struct RunNetwork {
    Network network;                 ///< not chained: the run says nothing of how layers hand on
    std::vector<std::string> notes;  ///< rows that have no layer, and why
};

/// Each layer of the run with the passes that it has there. Throws Error bad_input when no row of
/// it has a layer.
[[nodiscard]] RunNetwork network_of(const Run& run);

}  // namespace ridge::app
