// What the rows of a step find in the caches when they run one after the other.
#pragma once

#include <vector>

#include "ridge/demand.hpp"

namespace ridge::cpu {

/// Replaces the footprint of every row, which decides what a warm row finds, by the bytes that the
/// step touches between two uses of the row's tensors: the harmonic mean over its tensors, weighted
/// by their bytes, because a missing share 1 - C/F is averaged (docs/model.md). Rows in the order
/// of the step.
void set_in_step_footprints(std::vector<DemandRow>& rows);

}  // namespace ridge::cpu
