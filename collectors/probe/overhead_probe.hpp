// Measures what no data size removes: the cost of a parallel region and of a library call.
#pragma once

#include <vector>

#include "collectors/probe/schedule.hpp"
#include "collectors/probe/team.hpp"

namespace ridge::probe {

/// Windows are regions/s: an OpenMP region of `threads` threads that does nothing, its barrier
/// included. The OpenMP threads are bound to the team's cores and end with each visit, so that they
/// do not spin beside later measurements.
[[nodiscard]] Task parallel_region_task(Team& team, int threads);

/// Windows are calls/s: oneDNN executes a reorder of 16 numbers and waits, on one thread.
[[nodiscard]] Task empty_primitive_task();

}  // namespace ridge::probe
