// A stored run's bytes per level under other caches: its kernels are traced once more, and the same
// streams go through the caches of another machine or of a what-if ("l2.capacity=2x").
#pragma once

#include <string>

#include "ridge/cachesim.hpp"
#include "ridge/measurement.hpp"

namespace ridge::app {

/// Replaces the bytes of every row by those of `caches`. What it costs is a trace of the step,
/// without any measuring. Returns why that is not possible here, with the run as it was; empty when
/// it is done. The kernels have to be those of the run: same library, same processor features.
[[nodiscard]] std::string simulate_again(Run& run, const HierarchySpec& caches);

}  // namespace ridge::app
