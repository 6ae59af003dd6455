// What must not stand in a machine file, however long the probe tried.
#pragma once

#include "collectors/probe/probe.hpp"

namespace ridge::probe {

/// Moves from the machine to `not_measured`, with the reason: figures whose windows differ wildly
/// (the core was hardly ever the probe's own), parallel regions whose threads took turns instead of
/// running together, datasheet values from a clock that was never seen undisturbed, quiet levels
/// without a reading. Readers of machine files refuse most of these as impossible.
void drop_unusable(ProbeResult& result);

}  // namespace ridge::probe
