#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridge/error.hpp"

namespace ridge::report {
namespace {

constexpr int gap = 2;

std::string padded(const std::string& text, int width, Align align) {
    const std::string space(std::max(0, width - display_width(text)), ' ');
    return align == Align::left ? text + space : space + text;
}

std::string_view escape(Colour colour) {
    switch (colour) {
        case Colour::none:
            return "";
        case Colour::bold:
            return "\x1b[1m";
        case Colour::dim:
            return "\x1b[2m";
        case Colour::red:
            return "\x1b[31m";
        case Colour::green:
            return "\x1b[32m";
        case Colour::yellow:
            return "\x1b[33m";
        case Colour::blue:
            return "\x1b[34m";
    }
    return "";
}

/// Takes columns from the widest column that may still be cut until the line fits.
void fit(std::vector<int>& widths, const std::vector<Column>& columns, int limit) {
    const int gaps = gap * static_cast<int>(widths.size() - 1);
    int excess = std::accumulate(widths.begin(), widths.end(), gaps) - limit;
    while (excess > 0) {
        int widest = -1;
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (columns[i].shorten_to > 0 && widths[i] > columns[i].shorten_to &&
                (widest < 0 || widths[i] > widths[static_cast<std::size_t>(widest)]))
                widest = static_cast<int>(i);
        if (widest < 0) return;
        --widths[static_cast<std::size_t>(widest)];
        --excess;
    }
}

void append_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
}

}  // namespace

std::string coloured(std::string_view text, Colour colour, bool enabled) {
    if (!enabled || colour == Colour::none || text.empty()) return std::string(text);
    return fmt::format("{}{}\x1b[0m", escape(colour), text);
}

Column right(std::string header, std::string unit, std::string key) {
    return {.header = std::move(header),
            .unit = std::move(unit),
            .align = Align::right,
            .key = std::move(key)};
}

Cell::Cell(std::string text, Colour colour) : text_(printable(text)), colour_(colour) {
    if (text_ != text) csv_ = std::move(text);
}

Cell Cell::number(double value, int decimals, Colour colour) {
    return of(fmt::format("{:.{}f}", value, decimals), value, colour);
}

Cell Cell::count(long long value, Colour colour) {
    return Cell(fmt::format("{}", value), colour);
}

Cell Cell::of(std::string text, double value, Colour colour) {
    if (!std::isfinite(value)) return missing();
    Cell cell(std::move(text), colour);
    cell.csv_ = fmt::format("{}", value);
    return cell;
}

Cell Cell::missing() {
    Cell cell("–", Colour::dim);
    cell.csv_ = "";
    return cell;
}

void Table::add_row(std::vector<Cell> cells) {
    if (cells.size() > columns_.size())
        throw job_failed("table", "a row has more cells than the table has columns");
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

void Table::set_totals(std::vector<Cell> cells) {
    if (cells.size() > columns_.size())
        throw job_failed("table", "the totals have more cells than the table has columns");
    cells.resize(columns_.size());
    totals_ = std::move(cells);
}

std::string Table::text(const TextOptions& options) const {
    std::vector<int> widths(columns_.size());
    bool units = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        widths[i] = std::max(display_width(columns_[i].header), display_width(columns_[i].unit));
        units = units || !columns_[i].unit.empty();
        for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i].text()));
        if (!totals_.empty()) widths[i] = std::max(widths[i], display_width(totals_[i].text()));
    }
    if (options.width > 0) fit(widths, columns_, options.width);

    std::string out;
    const auto print = [&](auto&& cell_at) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const Cell& cell = cell_at(i);
            const std::string text =
                padded(shorten(cell.text(), widths[i]), widths[i], columns_[i].align);
            line += coloured(text, cell.colour(), options.colour);
            if (i + 1 < columns_.size()) line.append(gap, ' ');
        }
        append_line(out, std::move(line));
    };
    const auto rule = [&] {
        const int width = std::accumulate(widths.begin(), widths.end(),
                                          gap * static_cast<int>(widths.size() - 1));
        for (int i = 0; i < width; ++i) out += "─";
        out += '\n';
    };

    print([&](std::size_t i) { return Cell(columns_[i].header, Colour::bold); });
    if (units) print([&](std::size_t i) { return Cell(columns_[i].unit, Colour::dim); });
    rule();
    for (const auto& row : rows_) print([&](std::size_t i) { return row[i]; });
    if (!totals_.empty()) {
        rule();
        print([&](std::size_t i) { return totals_[i]; });
    }
    return out;
}

}  // namespace ridge::report
