// One quantity of a table on this machine: how it was resolved, and what calibration said.
#pragma once

#include <string>
#include <vector>

#include "collectors/papi/calibration.hpp"
#include "collectors/papi/pass_plan.hpp"

namespace ridge::papi {

struct RowState {
    std::vector<PlannedEvent> events;  ///< empty: unavailable
    std::string reason;                ///< why; also after a calibration that failed
    std::string note;
    bool calibrated = false;
    CalibrationVerdict verdict;
    double factor = 1;  ///< correction on request
};

/// Tries every event of a row and keeps the spelling that opens; the first failure becomes the
/// reason, with its remedy.
[[nodiscard]] RowState resolve_row(const EventTable& table, int row, CounterBackend& backend,
                                   const CounterOptions& options);
/// Cycles and instructions of each PMU that has both.
[[nodiscard]] std::vector<PlannedEvent> resolve_base(const EventTable& table,
                                                     CounterBackend& backend);

/// "4 x FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE + ..."
[[nodiscard]] std::string formula_of(const CounterRow& row);

/// Names of a sum "a + b".
[[nodiscard]] std::vector<std::string> parts_of_sum(const std::string& sum);

}  // namespace ridge::papi
