// A stored run in forms that other programs read; docs/formats.md, "Exports of a run".
#pragma once

#include <string>

#include "ridge/measurement.hpp"

namespace ridge::report {

/// One line per row; RFC 4180 with a header. What a row does not have is empty.
[[nodiscard]] std::string run_csv(const Run& run);
/// JSON Lines: the run, then one line per row, each with the number of its run.
[[nodiscard]] std::string run_json_lines(const Run& run);
/// Chrome's trace format: the rows of the step one behind the other, each as long as it takes.
/// Reorders stand in a lane of their own. Rows without a time are left out.
[[nodiscard]] std::string run_chrome_trace(const Run& run);

}  // namespace ridge::report
