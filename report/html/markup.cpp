#include "report/html/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ridge::report {
namespace {

std::string classes(const Column& column, const HtmlTableOptions& options) {
    std::string list;
    const auto add = [&list](const std::string& name) { list += (list.empty() ? "" : " ") + name; };
    if (column.align == Align::right) add("number");
    if (!column.group.empty()) add("g-" + column.group);
    const auto is_in = [&column](const std::vector<std::string>& headers) {
        return std::find(headers.begin(), headers.end(), column.header) != headers.end();
    };
    if (is_in(options.long_columns)) add("long");
    if (is_in(options.note_columns)) add("remark");
    return list.empty() ? "" : fmt::format(" class=\"{}\"", list);
}

std::string header_cell(const Column& column, const HtmlTableOptions& options) {
    std::string cell = fmt::format("<th scope=\"col\"{}", classes(column, options));
    if (!column.group.empty()) cell += fmt::format(" data-group=\"{}\"", escape(column.group));
    if (!column.unit.empty()) cell += fmt::format(" data-unit=\"{}\"", escape(column.unit));
    return cell + fmt::format(">{}</th>", escape(column.header));
}

std::string data_cell(const Cell& cell, const Column& column, const HtmlTableOptions& options) {
    std::string html = "<td" + classes(column, options);
    if (cell.csv() != cell.text()) html += fmt::format(" data-v=\"{}\"", escape(cell.csv()));
    return html + fmt::format(">{}</td>", escape(cell.text()));
}

}  // namespace

std::string escape(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string embed(std::string_view id, const Json& json) {
    // "</script>" and "<!--" would end or change the element; '<' occurs only inside strings.
    // Bytes that are not UTF-8 are replaced rather than making dump() throw.
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", escape(id),
                       safe);
}

std::string html_table(const Table& table, const HtmlTableOptions& options) {
    std::string html;
    const auto out = std::back_inserter(html);
    fmt::format_to(out, "<table{}{}{}>\n",
                   options.id.empty() ? "" : fmt::format(" id=\"{}\"", escape(options.id)),
                   options.sortable ? " class=\"sortable\"" : "",
                   options.attributes.empty() ? "" : " " + options.attributes);
    if (!options.caption.empty())
        fmt::format_to(out, "<caption>{}</caption>\n", escape(options.caption));
    html += "<thead><tr>";
    for (const auto& column : table.columns()) html += header_cell(column, options);
    html += "</tr>\n";
    const auto second_line = [&](auto&& text_of) {
        const auto& columns = table.columns();
        if (std::all_of(columns.begin(), columns.end(),
                        [&](const Column& c) { return text_of(c).empty(); }))
            return;
        html += "<tr>";
        for (const auto& column : columns)
            fmt::format_to(out, "<th{}><small>{}</small></th>", classes(column, options),
                           escape(text_of(column)));
        html += "</tr>\n";
    };
    second_line([](const Column& c) { return c.unit; });
    second_line([](const Column& c) { return c.source; });
    html += "</thead>\n<tbody>\n";
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        html += i < options.row_ids.size()
                    ? fmt::format("<tr id=\"{}\">", escape(options.row_ids[i]))
                    : "<tr>";
        for (std::size_t c = 0; c < table.columns().size(); ++c)
            html += data_cell(table.rows()[i][c], table.columns()[c], options);
        html += "</tr>\n";
    }
    html += "</tbody>\n";
    if (!table.totals().empty()) {
        html += "<tfoot><tr>";
        for (std::size_t c = 0; c < table.columns().size(); ++c)
            html += data_cell(table.totals()[c], table.columns()[c], options);
        html += "</tr></tfoot>\n";
    }
    return html + "</table>\n";
}

std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
    std::string html = "<dl>\n";
    for (const auto& [name, value] : facts)
        html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(name),
                            value.empty() ? "<span class=\"sub\">not known</span>" : escape(value));
    return html + "</dl>\n";
}

}  // namespace ridge::report
