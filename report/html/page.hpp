// Self-contained HTML files: no address outside the file is ever asked for anything.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/json.hpp"
#include "report/html/chart_js.hpp"
#include "report/plot.hpp"
#include "report/table.hpp"
#include "ridge/machine.hpp"
#include "ridge/roofline.hpp"

namespace ridge::report {

/// A table beside the run: another library, other thread counts.
struct ComparisonSection {
    std::string title, note;
    Table table;
};

struct ReportInput {
    RunAnalysis analysis;
    Machine machine;
    std::vector<ComparisonSection> comparisons;
    Json analysis_json;   ///< embedded for other programs; null: left out
    std::string command;  ///< the line that makes this report again
    std::string ridge_version;
};

/// With the reason why there is no Chart.js the page has everything but the charts, and says so.
[[nodiscard]] std::string report_page(const ReportInput& input,
                                      const std::variant<ChartJs, std::string>& chart_js);

/// One plot in a page.
[[nodiscard]] std::string plot_page(const Plot& plot, const ChartJs& chart_js);

}  // namespace ridge::report
