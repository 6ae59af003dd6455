// Work whose operations or bytes are known, for calibrating the counters of this machine.
#pragma once

#include <vector>

#include "collectors/probe/cpu_features.hpp"
#include "ridge/counters.hpp"

namespace ridge::papi {

/// f32 and f64 arithmetic at every vector width of the processor, a million instructions each.
[[nodiscard]] std::vector<KnownWork> known_flops(const probe::CpuFeatures& cpu);

/// A stream of reads and one of non-temporal writes over `bytes`, which is allocated and touched
/// here; one pass each. Nothing where the memory is not there.
[[nodiscard]] std::vector<KnownWork> known_streams(const probe::CpuFeatures& cpu, double bytes);

}  // namespace ridge::papi
