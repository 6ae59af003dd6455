// The analysis of a run as JSON: units in the keys, the source beside every number, null with a
// reason for what is not known.
#pragma once

#include <vector>

#include "core/json.hpp"
#include "ridge/roofline.hpp"

namespace ridge {

[[nodiscard]] Json to_json(const Roofline& roofline);
/// A measurement's keys and what the roofline says about it.
[[nodiscard]] Json to_json(const RowAnalysis& row);
/// The whole run; `rows` are indices into analysis.rows in the order wanted.
[[nodiscard]] Json to_json(const RunAnalysis& analysis, const std::vector<std::size_t>& rows);
[[nodiscard]] Json to_json(const RunAnalysis& analysis);

}  // namespace ridge
