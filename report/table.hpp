// A table that is built once and printed as aligned text for a terminal or as CSV for a program.
//
//   Table table({{.header = "layer", .shorten_to = 12}, right("time", "ms"), right("share", "%")});
//   table.add_row({"conv1", Cell::number(1.234, 2), Cell::number(45.2, 1)});
//   std::cout << table.text({.width = terminal(1).width, .colour = terminal(1).colour});
//
//   layer  time  share
//            ms      %
//   ─────────────────
//   conv1  1.23   45.2
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::report {

enum class Align { left, right };
enum class Colour { none, bold, dim, red, green, yellow, blue };

struct Column {
    std::string header;
    std::string unit = {};  ///< printed under the header; part of the CSV column's name
    Align align = Align::left;
    int shorten_to = 0;       ///< least width the column may be cut to; 0: never cut
    std::string key = {};     ///< CSV name; default: header and unit, "time_ms"
    std::string source = {};  ///< how the numbers were obtained: "measured"; HTML only
    std::string group = {};   ///< HTML: columns that are shown or hidden together
};
/// A right-aligned column of numbers.
[[nodiscard]] Column right(std::string header, std::string unit = {}, std::string key = {});

/// Text for people beside the exact value for programs.
class Cell {
public:
    Cell() = default;  ///< empty
    Cell(std::string text, Colour colour = Colour::none);
    Cell(const char* text, Colour colour = Colour::none) : Cell(std::string(text), colour) {}

    /// Fixed decimals as text, the shortest exact form in CSV. A value that is not finite prints
    /// as `missing`.
    [[nodiscard]] static Cell number(double value, int decimals, Colour colour = Colour::none);
    [[nodiscard]] static Cell count(long long value, Colour colour = Colour::none);
    /// Text for people whose exact value is another ("1.23 ms" for 0.00123).
    [[nodiscard]] static Cell of(std::string text, double value, Colour colour = Colour::none);
    /// "–" as text, empty in CSV: not measurable is never 0.
    [[nodiscard]] static Cell missing();

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::string& csv() const { return csv_ ? *csv_ : text_; }
    [[nodiscard]] Colour colour() const { return colour_; }

private:
    std::string text_;
    std::optional<std::string> csv_;
    Colour colour_ = Colour::none;
};

struct TextOptions {
    int width = 0;  ///< columns with shorten_to are cut until the table fits; 0: unlimited
    bool colour = false;
};

class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// Missing cells at the end are empty. Throws Error job_failed for more cells than columns.
    void add_row(std::vector<Cell> cells);
    /// A line under the rows, set apart by a rule; not part of the CSV.
    void set_totals(std::vector<Cell> cells);

    [[nodiscard]] std::string text(const TextOptions& options = {}) const;
    /// RFC 4180 with a header line, "\r\n" between records.
    [[nodiscard]] std::string csv() const;

    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
    [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<Cell>& totals() const { return totals_; }

private:
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
    std::vector<Cell> totals_;
};

/// Columns that UTF-8 text takes on a terminal: combining marks 0, East Asian wide 2.
[[nodiscard]] int display_width(std::string_view text);
/// Cuts the middle out so that the text takes at most `width` columns: "conv2d_…_weights".
[[nodiscard]] std::string shorten(std::string_view text, int width);
/// Control characters (line breaks, escape sequences) replaced by '?', so that a name from a file
/// cannot drive the terminal.
[[nodiscard]] std::string printable(std::string_view text);
/// Wraps in escape sequences, or not when `enabled` is false.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, bool enabled);

}  // namespace ridge::report
