// The job behind `ridge calibrate`: chooses layers, measures and traces them.
#pragma once

#include <string>
#include <vector>

#include "ridge/machine.hpp"
#include "validate/reference_rows.hpp"

namespace ridge::app {

struct CalibrateTask {
    const Machine* machine = nullptr;
    int threads = 1;
    double budget_s = 180;
    bool quiet = false;
};

/// Rows with times and counts. Throws ridge::Error; interrupted, it keeps nothing.
[[nodiscard]] std::vector<validate::ReferenceRow> measure_for_calibration(
    const CalibrateTask& task);

}  // namespace ridge::app
