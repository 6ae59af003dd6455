#include "report/html/skeleton.hpp"

#include <fmt/format.h>

#include "report/html/assets.hpp"
#include "report/html/markup.hpp"
#include "report/html/page.hpp"
#include "report/writers/plot_json.hpp"

namespace ridge::report {
namespace {

// The page must neither load nor send anything; the policy makes a browser enforce it.
constexpr std::string_view policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

constexpr std::string_view expat_licence =
    R"(Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.)";

}  // namespace

std::string html_document(std::string_view title, std::string_view body,
                          const std::vector<Plot>& plots,
                          const std::variant<ChartJs, std::string>& chart_js,
                          std::string_view script) {
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}",
        policy, escape(title), asset_report_css, body);
    if (const auto* chart = std::get_if<ChartJs>(&chart_js)) {
        Json data = Json::array();
        for (const auto& plot : plots) data.push_back(plot_json(plot));
        html += embed("plots", data);
        html += fmt::format("<script>\n{}\n</script>\n<script>\n{}</script>\n", chart->script,
                            asset_plot_js);
    }
    if (!script.empty()) html += fmt::format("<script>\n{}</script>\n", script);
    return html + "</body>\n</html>\n";
}

std::string plot_place(const Plot& plot, const std::variant<ChartJs, std::string>& chart_js) {
    if (const auto* reason = std::get_if<std::string>(&chart_js))
        return fmt::format(
            "<p class=\"missing\">No chart: {}. Everything it would show is in the "
            "table.</p>\n",
            escape(*reason));
    return fmt::format("<figure id=\"plot-{}\"></figure>\n", escape(plot.name));
}

std::string licence_note(const std::variant<ChartJs, std::string>& chart_js) {
    const auto* chart = std::get_if<ChartJs>(&chart_js);
    if (!chart) return {};
    return fmt::format(
        "<details class=\"note\"><summary>This file contains {}</summary><pre>{}"
        "</pre></details>\n",
        escape(chart->notice), escape(expat_licence));
}

std::string plot_page(const Plot& plot, const ChartJs& chart_js) {
    const std::string body =
        fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}</p>\n{}{}", escape(plot.title),
                    escape(plot.subtitle), plot_place(plot, chart_js), licence_note(chart_js));
    return html_document(plot.title + ": " + plot.subtitle, body, {plot}, chart_js, "");
}

}  // namespace ridge::report
