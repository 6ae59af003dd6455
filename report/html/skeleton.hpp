// What every page has: head, styles, scripts, licence of what it carries.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/html/chart_js.hpp"
#include "report/plot.hpp"

namespace ridge::report {

/// `title` is plain text; `body` is markup. Scripts follow the body: Chart.js and the plots when
/// there is one, then `script`.
[[nodiscard]] std::string html_document(std::string_view title, std::string_view body,
                                        const std::vector<Plot>& plots,
                                        const std::variant<ChartJs, std::string>& chart_js,
                                        std::string_view script);

/// The place where plot.js draws a plot, or the reason why it cannot.
[[nodiscard]] std::string plot_place(const Plot& plot,
                                     const std::variant<ChartJs, std::string>& chart_js);

/// Licence text of Chart.js, collapsed.
[[nodiscard]] std::string licence_note(const std::variant<ChartJs, std::string>& chart_js);

}  // namespace ridge::report
