// Chart.js, which the report carries inside itself. It is looked for when a report is written, so
// that a program that was built without it works as soon as it is there.
#pragma once

#include <string>
#include <variant>

namespace ridge::report {

struct ChartJs {
    std::string script;  ///< with its own notice at the start
    std::string notice;  ///< "Chart.js v3.9.1 ...", from that notice
};

/// In RIDGE_CHART_JS (a file; nothing else is tried then), the share directory, or where Debian's
/// package libjs-chart.js puts it; else the reason why there is none, one line.
[[nodiscard]] std::variant<ChartJs, std::string> find_chart_js();

}  // namespace ridge::report
