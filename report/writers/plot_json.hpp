// A plot as JSON, for report/html/assets/plot.js and for anyone who draws it otherwise.
#pragma once

#include "core/json.hpp"
#include "report/plot.hpp"

namespace ridge::report {

/// Numbers that are not finite become null; there are none in a plot of this library.
[[nodiscard]] Json plot_json(const Plot& plot);

}  // namespace ridge::report
