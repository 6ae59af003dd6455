// What a row's counters know better than its dimensions: bytes per level, executed FLOPs, SSE/AVX
// transitions.
#pragma once

#include "model/roofline/demand.hpp"
#include "ridge/reading.hpp"

namespace ridge {

/// Executed FLOPs of all precisions, or why they are not to be trusted.
[[nodiscard]] Reading executed_flops(const Measurement& row);

/// Replaces the bytes of `demand` when the counters have every level of the roofline, and fills in
/// `executed` and `transitions`. What the counters lack stays algorithmic.
void use_counters(Demand& demand, const Layer& layer, const Measurement& row,
                  const Roofline& roofline);

}  // namespace ridge
