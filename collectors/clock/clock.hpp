// The one clock of Ridgepoint's collectors.
#pragma once

#include "ridge/units.hpp"

namespace ridge::clock {

/// Time on the steady clock, since some fixed moment.
[[nodiscard]] Seconds now();

/// What two adjacent reads of the clock show of their own cost: the smallest difference seen.
/// Subtract it from an interval of microseconds.
[[nodiscard]] Seconds read_cost();

}  // namespace ridge::clock
