// `perf stat -x, -o FILE PROGRAM`: value, unit, event, run time of the counter in ns, percentage of
// the time it was on, then an optional metric with its unit. With -A or --per-socket one or two
// fields stand in front; with -I the time in seconds. Any separator that -x was given.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "collectors/import/counter_regions.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

std::optional<double> number(std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

bool is_value(std::string_view text) {
    return number(text) || text == "<not counted>" || text == "<not supported>";
}

/// Printable, as the names of events are: what is in a file of something else mostly is not.
bool is_name(const std::string& text) {
    return text.size() > 1 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// The separator is what stands behind the first number, or behind a remark instead of it.
char separator_of(std::string_view line) {
    for (const char c : {',', ';', '\t', '|', ':'})
        if (csv_fields(line, c).size() >= 4) return c;
    return ',';
}

/// Multiples that perf scales uncore events to.
double scale_of(const std::string& unit) {
    static const std::map<std::string, double> scales{
        {"MiB", 1048576.0}, {"KiB", 1024.0}, {"GiB", 1073741824.0}, {"B", 1.0}, {"msec", 1e-3}};
    const auto found = scales.find(unit);
    return found == scales.end() ? 1 : found->second;
}

Reading reading_of(const std::string& text, const std::string& unit, const std::string& percent) {
    if (text == "<not counted>")
        return Reading::unavailable("not counted: the event never had a counter");
    if (text == "<not supported>")
        return Reading::unavailable("not supported by this processor or virtual machine");
    const auto value = number(text);
    if (!value || *value < 0) return Reading::unavailable("'" + text + "' is no count");
    // perf has scaled a count that was on for part of the time only; below a fifth it is a guess.
    const auto share = number(percent);
    constexpr double least_share = 20;
    if (share && *share < least_share)
        return Reading::unavailable(
            fmt::format("counted {:.1f} % of the time only (multiplexed)", *share));
    return {*value * scale_of(unit), Source::measured};
}

}  // namespace

CounterFile read_perf_stat(const std::string& text, const std::string& file) {
    CounterFile result;
    result.format = "perf stat";
    std::map<std::string, std::size_t> regions;
    for (const std::string_view line : text_lines(text)) {
        if (line.empty() || line.front() == '#') continue;
        const auto fields = csv_fields(line, separator_of(line));
        // The value is the first field that may be one and is followed by unit and event.
        std::size_t at = 0;
        const bool interval =
            fields.size() > 5 && number(fields[0]) && is_value(fields[1]) && !number(fields[3]);
        if (interval) at = 1;
        while (at < fields.size() && !is_value(fields[at])) ++at;
        // "S0,1,value": the number of processors that were added up stands before the value.
        if (at > 0 && !interval && at + 1 < fields.size() && is_value(fields[at + 1]) &&
            at + 3 < fields.size() && !number(fields[at + 3]))
            ++at;
        if (at + 2 >= fields.size() || number(fields[at + 2]) || !is_name(fields[at + 2])) {
            ++result.damaged;
            continue;
        }
        std::string where;
        for (std::size_t i = 0; i < at; ++i) where += (i ? " " : "") + fields[i];
        const auto [known, added] = regions.try_emplace(where, result.regions.size());
        if (added) {
            result.regions.emplace_back();
            result.regions.back().name = "program";
            result.regions.back().where = where;
        }
        CounterRegion& region = result.regions[known->second];
        const std::string& event = fields[at + 2];
        const std::string percent = at + 4 < fields.size() ? fields[at + 4] : "";
        const Reading reading = reading_of(fields[at], fields[at + 1], percent);
        if (event == "duration_time" && reading.available()) region.time_s = reading.value() * 1e-9;
        region.counters.insert_or_assign(event, reading);
    }
    if (result.regions.empty())
        throw bad_input(file, "the output of perf stat -x,", "no line with value, unit and event");
    for (CounterRegion& region : result.regions) derive(region);
    return result;
}

}  // namespace ridge::import
