// A row in words, for hover text and tables: the same words everywhere.
#pragma once

#include <string>
#include <vector>

#include "ridge/roofline.hpp"

namespace ridge::report {

/// "conv2 · backward_weights", "conv2 · forward · reorder src".
[[nodiscard]] std::string row_title(const Measurement& row);
/// "1.23 ms ± 0.02 ms", "≤ 1.23 ms (too few undisturbed samples)".
[[nodiscard]] std::string time_text(const TimeSummary& time);
/// "compute", "L2", "overhead", "compute and L2".
[[nodiscard]] std::string bound_text(const RowAnalysis& row);
/// Everything that a reader wants to know of a dot: one fact a line, each with its source.
[[nodiscard]] std::vector<std::string> hover_text(const RowAnalysis& row);

}  // namespace ridge::report
