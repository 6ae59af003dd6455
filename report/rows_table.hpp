// Every row of a run with everything that is known about it, as one table for the report and CSV.
#pragma once

#include "report/table.hpp"
#include "ridge/roofline.hpp"

namespace ridge::report {

/// Groups of columns: "" (always shown), "roofline", "sampling", "cost", "details".
[[nodiscard]] Table rows_table(const RunAnalysis& run);

}  // namespace ridge::report
