#include "report/table.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

/// "time", "ms" -> "time_ms"; "rate", "GFLOP/s" -> "rate_gflop_per_s".
std::string key_of(const Column& column) {
    if (!column.key.empty()) return column.key;
    std::string key;
    const std::string full =
        column.unit.empty() ? column.header : column.header + " " + column.unit;
    for (const char c : full) {
        if (c == '/')
            key += "_per_";
        else if (c == '%')
            key += "percent";
        else if (c == ' ' || c == '-')
            key += '_';
        else
            key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return key;
}

}  // namespace

std::string Table::csv() const {
    std::string out;
    const auto record = [&](auto&& field_at) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (i > 0) out += ',';
            out += csv_field(field_at(i));
        }
        out += "\r\n";
    };
    record([&](std::size_t i) { return key_of(columns_[i]); });
    for (const auto& row : rows_) record([&](std::size_t i) { return row[i].csv(); });
    return out;
}

}  // namespace ridge::report
