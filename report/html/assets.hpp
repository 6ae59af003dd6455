// The files of report/html/assets/, part of the program.
#pragma once

#include <string_view>

namespace ridge::report {

extern const std::string_view asset_report_css;
extern const std::string_view asset_report_js;
extern const std::string_view asset_plot_js;

}  // namespace ridge::report
