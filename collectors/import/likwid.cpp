// `likwid-perfctr -o out.csv` and `-o out.json`. The CSV has tables "TABLE,Region NAME,Group 1
// Raw,GROUP,..." with one row per event and one column per hardware thread, then tables of metrics;
// sums over the threads are tables of their own ("STAT") and are not used.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

#include "collectors/import/counter_regions.hpp"
#include "core/json.hpp"
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

/// "Memory data volume [GBytes]" is in giga (decimal); time in s; the rest as it is.
double scale_of(const std::string& metric) {
    static const std::vector<std::pair<std::string, double>> units{
        {"[GBytes]", 1e9},  {"[MBytes]", 1e6},  {"[MBytes/s]", 1e6}, {"[GBytes/s]", 1e9},
        {"[MFLOP/s]", 1e6}, {"[GFLOP/s]", 1e9}, {"[MHz]", 1e6}};
    for (const auto& [unit, scale] : units)
        if (metric.find(unit) != std::string::npos) return scale;
    return 1;
}

class Collector {
public:
    explicit Collector(CounterFile& file) : file_(file) {}

    void add(const std::string& region, const std::string& thread, const std::string& name,
             const std::string& text) {
        const auto value = number(text);
        const auto [known, added] = index_.try_emplace({region, thread}, file_.regions.size());
        if (added) {
            CounterRegion fresh;
            fresh.name = region;
            fresh.where = thread;
            file_.regions.push_back(std::move(fresh));
        }
        CounterRegion& target = file_.regions[known->second];
        if (!value) {
            if (text.empty() || text == "-") return;  // uncore events count once per socket
            target.counters.insert_or_assign(name,
                                             Reading::unavailable("'" + text + "' is no number"));
            ++file_.damaged;
            return;
        }
        if (name.starts_with("Runtime (RDTSC)") || name.starts_with("RDTSC Runtime"))
            target.time_s = *value;
        // A difference that wrapped or a dead box reads like 1.8e19.
        constexpr double most = 1e18;
        target.counters.insert_or_assign(
            name, *value < 0 || *value > most
                      ? Reading::unavailable(fmt::format("invalid: {:.3g}", *value))
                      : Reading(*value * scale_of(name), Source::measured));
    }

private:
    CounterFile& file_;
    std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

/// "Region solve" is solve; without the marker API the whole program.
std::string region_of(const std::vector<std::string>& header) {
    for (const std::string& field : header)
        if (field.starts_with("Region ")) return field.substr(7);
    return "program";
}

bool is_statistic(const std::vector<std::string>& header) {
    for (const std::string& field : header)
        if (field.find("STAT") != std::string::npos) return true;
    return false;
}

void read_csv(const std::string& text, CounterFile& result) {
    Collector collector(result);
    std::string region = "program";
    std::vector<std::string> threads;
    bool in_table = false, statistic = false;
    std::size_t first = 0;  // column of the first thread
    for (const std::string_view line : text_lines(text)) {
        const auto fields = csv_fields(line);
        if (fields[0] == "TABLE") {
            region = region_of(fields);
            statistic = is_statistic(fields);
            in_table = true;
            threads.clear();
            continue;
        }
        if (fields[0] == "STRUCT" || line.empty()) {
            in_table = false;
            continue;
        }
        if (!in_table || statistic) continue;
        if (fields[0] == "Event" || fields[0] == "Metric" || fields[0] == "Region Info") {
            threads.clear();
            first = fields.size() > 1 && fields[1] == "Counter" ? 2 : 1;
            for (std::size_t i = first; i < fields.size(); ++i) threads.push_back(fields[i]);
            continue;
        }
        for (std::size_t i = 0; i < threads.size(); ++i)
            if (!threads[i].empty() && first + i < fields.size())
                collector.add(region, threads[i], fields[0], fields[first + i]);
    }
}

std::string text_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return fmt::format("{}", value.get<double>());
    return "-";
}

/// Objects nest as region or group, then "Raw" or "Metric", then event, then thread; a value is
/// where the number is, its event is the key above.
void walk(const Json& node, std::vector<std::string>& path, Collector& collector, int depth) {
    if (depth > 12 || !node.is_object()) return;
    for (const auto& [key, value] : node.items()) {
        if (key.find("STAT") != std::string::npos) continue;
        path.push_back(key);
        if (value.is_object()) {
            walk(value, path, collector, depth + 1);
        } else if (path.size() >= 3 && (value.is_number() || value.is_string()) &&
                   (key.find("HWThread") != std::string::npos ||
                    key.find("Core") != std::string::npos ||
                    key.find("hread") != std::string::npos)) {
            std::string region = "program";
            for (const std::string& part : path)
                if (part.starts_with("Region ")) region = part.substr(7);
            collector.add(region, key, path[path.size() - 2], text_of(value));
        }
        path.pop_back();
    }
}

}  // namespace

CounterFile read_likwid(const std::string& text, const std::string& file) {
    CounterFile result;
    const auto start = text.find_first_not_of(" \t\r\n");
    if (start != std::string::npos && text[start] == '{') {
        result.format = "LIKWID JSON";
        const Json json = Json::parse(text, nullptr, false);
        if (json.is_discarded()) throw bad_input(file, "LIKWID JSON", "no JSON");
        Collector collector(result);
        std::vector<std::string> path;
        walk(json, path, collector, 0);
    } else {
        result.format = "LIKWID CSV";
        read_csv(text, result);
    }
    if (result.regions.empty())
        throw bad_input(file, "tables of likwid-perfctr with one column per thread", "none");
    for (CounterRegion& region : result.regions) derive(region);
    return result;
}

}  // namespace ridge::import
