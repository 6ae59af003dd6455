// How much of a run's time rests on traced kernels, and what does not.
#pragma once

#include "ridge/roofline.hpp"

namespace ridge {

/// A row counts as traced by the share of its tensors' lines that generated code touched; it needs
/// executed FLOPs or instructions and bytes of every level. The rest of it, and rows with bytes
/// from their dimensions, are analytic; rows without any bytes are neither.
[[nodiscard]] Coverage coverage_of(const RunAnalysis& run);

}  // namespace ridge
