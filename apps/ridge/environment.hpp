// What a run records of the machine and the software it ran with.
#pragma once

#include <vector>

#include "ridge/kernel.hpp"
#include "ridge/measurement.hpp"

namespace ridge::app {

/// `cpus`: thread i runs on cpus[i].
[[nodiscard]] Environment describe_environment(const TrainingStep& step,
                                               const std::vector<int>& cpus);

/// ISO 8601, UTC, to the second.
[[nodiscard]] std::string now_utc();

}  // namespace ridge::app
