#include "validate/datasets/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/words_near.hpp"

namespace ridge::validate {

CsvRows::CsvRows(std::string path, std::vector<std::string> columns)
    : path_(std::move(path)), columns_(std::move(columns)), in_(path_) {
    std::string header;
    if (!in_ || !std::getline(in_, header))
        throw bad_input(path_, "a CSV file with a header", in_ ? "nothing" : "no readable file");
    line_ = 1;
    split(header);
    width_ = fields_.size();
    for (const auto& column : columns_) {
        const auto at = std::find(fields_.begin(), fields_.end(), column);
        if (at == fields_.end())
            throw bad_input(path_ + ":1", "a column '" + column + "'", list_of(fields_));
        place_.push_back(static_cast<std::size_t>(at - fields_.begin()));
    }
}

bool CsvRows::next() {
    std::string line;
    do {
        if (!std::getline(in_, line)) return false;
        ++line_;
    } while (line.empty() || line == "\r");
    split(line);
    if (fields_.size() != width_)
        throw bad_input(fmt::format("{}:{}", path_, line_), fmt::format("{} fields", width_),
                        fmt::format("{}", fields_.size()));
    return true;
}

void CsvRows::split(const std::string& line) {
    fields_.assign(1, "");
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            fields_.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields_.emplace_back();
        } else if (c != '\r') {
            fields_.back() += c;
        }
    }
    if (quoted)
        throw bad_input(fmt::format("{}:{}", path_, line_), "a closed quotation",
                        "the end of the line");
}

const std::string& CsvRows::text(std::size_t index) const {
    return fields_[place_[index]];
}

std::optional<double> CsvRows::number(std::size_t index) const {
    const std::string& field = text(index);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> CsvRows::whole(std::size_t index) const {
    const auto value = number(index);
    if (!value || *value != std::floor(*value) || std::abs(*value) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

Error CsvRows::wrong(std::size_t index, std::string_view expected) const {
    return bad_input(fmt::format("{}:{}: {}", path_, line_, columns_[index]), expected,
                     "'" + one_line(text(index)) + "'");
}

}  // namespace ridge::validate
