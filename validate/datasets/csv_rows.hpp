// Rows of a CSV file by column name, one at a time: public data sets have tens of thousands of rows
// and their columns move between versions.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/error.hpp"

namespace ridge::validate {

class CsvRows {
public:
    /// Reads the header. Throws Error bad_input when the file cannot be read or lacks one of
    /// `columns` (columns beyond those are ignored).
    CsvRows(std::string path, std::vector<std::string> columns);

    /// The next row; false at the end. Fields may be quoted; quotes inside are doubled. Throws
    /// Error bad_input for a row with another number of fields than the header.
    bool next();

    /// Field of the column `index` of the constructor's list.
    [[nodiscard]] const std::string& text(std::size_t index) const;
    /// Nothing when the field is no number, or not finite.
    [[nodiscard]] std::optional<double> number(std::size_t index) const;
    /// Nothing when the field is no whole number ("16" and "16.0" are).
    [[nodiscard]] std::optional<std::int64_t> whole(std::size_t index) const;
    [[nodiscard]] std::size_t line() const { return line_; }
    /// bad_input at this row and column.
    [[nodiscard]] Error wrong(std::size_t index, std::string_view expected) const;

private:
    void split(const std::string& line);

    std::string path_;
    std::vector<std::string> columns_;
    std::vector<std::size_t> place_;  ///< of columns_[i] in the file
    std::vector<std::string> fields_;
    std::size_t width_ = 0, line_ = 0;
    std::ifstream in_;
};

}  // namespace ridge::validate
