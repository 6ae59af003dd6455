#include "report/html/chart_js.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/files.hpp"
#include "ridge/network.hpp"

namespace ridge::report {
namespace {

std::vector<std::string> candidates() {
    if (const char* path = std::getenv("RIDGE_CHART_JS")) return {path};
    return {share_directory() + "/chart.js/chart.min.js",
            "/usr/share/javascript/chart.js/chart.min.js",
            "/usr/share/nodejs/chart.js/dist/chart.min.js"};
}

/// "Chart.js v3.9.1 https://www.chartjs.org (c) 2022 Chart.js Contributors Released under..."
std::string notice_of(const std::string& script) {
    std::string notice;
    const std::size_t end = script.find("*/");
    if (!script.starts_with("/*") || end == std::string::npos) return {};
    for (const char c : script.substr(2, end - 2)) {
        const bool space = c == '\n' || c == '\r' || c == ' ' || c == '*' || c == '!';
        if (!space)
            notice += c;
        else if (!notice.empty() && notice.back() != ' ')
            notice += ' ';
    }
    while (notice.ends_with(' ')) notice.pop_back();
    return notice;
}

}  // namespace

std::variant<ChartJs, std::string> find_chart_js() {
    for (const auto& path : candidates()) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) continue;
        ChartJs found{.script = read_file(path), .notice = {}};
        found.notice = notice_of(found.script);
        // 2.x has other options and 1.x another world; an inlined script must not end its element.
        if (!found.notice.starts_with("Chart.js v3.") && !found.notice.starts_with("Chart.js v4."))
            return fmt::format("{} is not Chart.js 3 or 4", path);
        if (found.script.find("</script") != std::string::npos)
            return fmt::format("{} cannot stand inside a page: it holds \"</script\"", path);
        return found;
    }
    return std::string("Chart.js was not found (Debian package libjs-chart.js)");
}

}  // namespace ridge::report
