// CSV of Nsight Compute (`ncu --csv`): remarks, then a header that begins with "ID". In the long
// form (page details) each line is one metric of one kernel; in the wide form (page raw) each line
// is a kernel and the line behind the header holds the units.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "collectors/import/counter_regions.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// Factor to the base unit, decimal prefixes (K = 1000).
std::optional<double> unit_scale(std::string unit) {
    static const std::map<std::string, double> scales{
        {"", 1},           {"byte", 1},       {"Kbyte", 1e3},    {"Mbyte", 1e6}, {"Gbyte", 1e9},
        {"Tbyte", 1e12},   {"ns", 1e-9},      {"us", 1e-6},      {"ms", 1e-3},   {"s", 1},
        {"nsecond", 1e-9}, {"usecond", 1e-6}, {"msecond", 1e-3}, {"second", 1},  {"inst", 1},
        {"cycle", 1},      {"%", 1},          {"hz", 1},         {"Khz", 1e3},   {"Mhz", 1e6},
        {"Ghz", 1e9},      {"sector", 1},     {"thread", 1},     {"warp", 1},    {"block", 1},
        {"request", 1}};
    const auto slash = unit.find('/');
    if (slash != std::string::npos) {
        const auto above = unit_scale(unit.substr(0, slash));
        const auto below = unit_scale(unit.substr(slash + 1));
        if (!above || !below) return std::nullopt;
        return *above / *below;
    }
    const auto found = scales.find(unit);
    if (found == scales.end()) return std::nullopt;
    return found->second;
}

bool is_missing(const std::string& text) {
    return text.empty() || text == "n/a" || text == "nan" || text == "NaN" || text == "-nan" ||
           text == "inf";
}

bool is_number_text(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.,-+eE") == std::string::npos &&
           text.find_first_of("0123456789") != std::string::npos;
}

/// What the numbers of a file say of its decimal sign. "1,234" fits both; "1,234.5", "12,34" and
/// two commas do not.
NumberLocale decide_locale(const std::vector<std::string>& numbers) {
    bool point = false, comma = false, open = false;
    for (const std::string& text : numbers) {
        const auto commas = std::count(text.begin(), text.end(), ',');
        const auto last_comma = text.rfind(','), last_point = text.rfind('.');
        if (commas == 0) {
            // "1.234.567" can only be thousands.
            if (std::count(text.begin(), text.end(), '.') > 1) comma = true;
            continue;
        }
        if (last_point != std::string::npos)
            (last_point > last_comma ? point : comma) = true;
        else if (commas > 1)
            point = true;
        else if (text.size() - last_comma - 1 != 3 || text[0] == '0' || last_comma > 3)
            comma = true;
        else
            open = true;
    }
    if (point && comma) return NumberLocale::automatic;
    if (comma) return NumberLocale::comma;
    if (point || !open) return NumberLocale::point;
    return NumberLocale::automatic;
}

std::optional<double> number(std::string text, NumberLocale locale) {
    const char thousands = locale == NumberLocale::comma ? '.' : ',';
    std::erase(text, thousands);
    if (locale == NumberLocale::comma) std::replace(text.begin(), text.end(), ',', '.');
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

using Row = std::vector<std::string>;

/// One record may contain line ends in quotes.
std::vector<Row> records(const std::string& text) {
    std::vector<Row> result;
    std::string open;
    for (const std::string_view line : text_lines(text)) {
        open += (open.empty() ? "" : "\n") + std::string(line);
        if (std::count(open.begin(), open.end(), '"') % 2 != 0 && open.size() < 65536) continue;
        if (!open.empty()) result.push_back(csv_fields(open));
        open.clear();
    }
    if (!open.empty()) result.push_back(csv_fields(open));
    return result;
}

class Reader {
public:
    Reader(std::string file, NumberLocale locale) : file_(std::move(file)), locale_(locale) {
        result_.format = "Nsight Compute CSV";
    }

    CounterFile read(const std::string& text) {
        // Remarks may have quotes of their own; only what follows the header is CSV.
        std::size_t start = text.starts_with("\"ID\",") ? 0 : text.find("\n\"ID\",");
        if (start == std::string::npos)
            throw bad_input(file_, "a header that begins with \"ID\" (ncu --csv)", "none");
        if (start > 0) ++start;
        const auto rows = records(text.substr(start));
        for (std::size_t i = 0; i < rows[0].size(); ++i) columns_[rows[0][i]] = i;
        const bool long_form =
            columns_.contains("Metric Name") && columns_.contains("Metric Value");
        if (long_form)
            read_long(rows);
        else
            read_wide(rows);
        if (result_.regions.empty()) throw bad_input(file_, "at least one kernel", "none");
        result_.notes.push_back(
            "times are those of the profiled run (kernels replayed, caches flushed and clocks "
            "locked unless ncu was told otherwise): no efficiency rests on them");
        for (CounterRegion& region : result_.regions) derive(region);
        return std::move(result_);
    }

private:
    [[nodiscard]] std::string field(const Row& row, const std::string& column) const {
        const auto found = columns_.find(column);
        return found == columns_.end() || found->second >= row.size() ? std::string()
                                                                      : row[found->second];
    }

    void settle_locale(const std::vector<std::string>& numbers) {
        if (locale_ != NumberLocale::automatic) return;
        locale_ = decide_locale(numbers);
        if (locale_ == NumberLocale::automatic)
            throw bad_input(file_, "--locale point or --locale comma",
                            "numbers such as 1,234 that can be read in two ways");
    }

    CounterRegion& kernel(const Row& row) {
        const std::string id = field(row, "ID");
        const auto [known, added] = index_.try_emplace(id, result_.regions.size());
        if (added) {
            CounterRegion region;
            region.name = field(row, "Kernel Name");
            region.where = fmt::format("launch {}, stream {}", id, field(row, "Stream"));
            region.profiled_time = true;
            result_.regions.push_back(std::move(region));
        }
        return result_.regions[known->second];
    }

    void add(CounterRegion& region, const std::string& metric, const std::string& unit,
             const std::string& text) {
        if (metric.empty()) return;
        if (is_missing(text)) {
            region.counters.insert_or_assign(metric, Reading::unavailable("ncu has no value"));
            return;
        }
        if (!is_number_text(text)) return;  // words such as the name of a cache policy
        const auto value = number(text, locale_);
        const auto scale = unit_scale(unit);
        if (!value) {
            ++result_.damaged;
            region.counters.insert_or_assign(metric,
                                             Reading::unavailable("'" + text + "' is no number"));
            return;
        }
        region.counters.insert_or_assign(metric,
                                         Reading(*value * scale.value_or(1), Source::measured));
        if (metric == "gpu__time_duration.sum" || metric == "Duration")
            region.time_s = *value * scale.value_or(1);
    }

    void read_long(const std::vector<Row>& rows) {
        std::vector<std::string> numbers;
        for (std::size_t i = 1; i < rows.size(); ++i)
            if (const auto text = field(rows[i], "Metric Value"); is_number_text(text))
                numbers.push_back(text);
        settle_locale(numbers);
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (rows[i].size() != rows[0].size()) {
                ++result_.damaged;
                continue;
            }
            add(kernel(rows[i]), field(rows[i], "Metric Name"), field(rows[i], "Metric Unit"),
                field(rows[i], "Metric Value"));
        }
    }

    void read_wide(const std::vector<Row>& rows) {
        if (rows.size() < 3 || !field(rows[1], "ID").empty())
            throw bad_input(file_, "a line of units behind the header (ncu --page raw)", "none");
        // Columns with a unit, or with a name of a metric, hold values.
        std::vector<std::size_t> metrics;
        for (std::size_t i = 0; i < rows[0].size(); ++i)
            if (rows[0][i].find("__") != std::string::npos) metrics.push_back(i);
        std::vector<std::string> numbers;
        for (std::size_t r = 2; r < rows.size(); ++r)
            for (const std::size_t i : metrics)
                if (i < rows[r].size() && is_number_text(rows[r][i])) numbers.push_back(rows[r][i]);
        settle_locale(numbers);
        for (std::size_t r = 2; r < rows.size(); ++r) {
            if (rows[r].size() != rows[0].size()) {
                ++result_.damaged;
                continue;
            }
            CounterRegion& region = kernel(rows[r]);
            for (const std::size_t i : metrics)
                add(region, rows[0][i], i < rows[1].size() ? rows[1][i] : "", rows[r][i]);
        }
    }

    std::string file_;
    NumberLocale locale_;
    std::map<std::string, std::size_t> columns_, index_;
    CounterFile result_;
};

}  // namespace

CounterFile read_nsight_compute(const std::string& text, const std::string& file,
                                NumberLocale locale) {
    return Reader(file, locale).read(text);
}

}  // namespace ridge::import
