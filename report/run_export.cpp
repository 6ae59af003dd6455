#include "report/run_export.hpp"

#include <fmt/format.h>

#include <set>

#include "core/json.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The shortest text that reads back as the number.
std::string number(double value) {
    return fmt::format("{}", value);
}

std::string number(const std::optional<Seconds>& time) {
    return time ? number(time->value()) : std::string();
}

std::set<std::string> counter_names(const Run& run) {
    std::set<std::string> names;
    for (const auto& row : run.rows)
        for (const auto& [name, reading] : row.counters) names.insert(name);
    return names;
}

void add_line(std::string& csv, const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i)
        csv += (i > 0 ? "," : "") + csv_field(fields[i]);
    csv += "\r\n";
}

std::vector<std::string> fields_of(const RunInfo& info, const Measurement& row) {
    const bool timed = row.time.time.value() > 0;
    const auto time = [&](Seconds value) { return timed ? number(value.value()) : std::string(); };
    const auto word = [&](bool value) { return timed ? (value ? "true" : "false") : ""; };
    return {fmt::format("{}", info.id),
            info.network,
            fmt::format("{}", info.batch),
            fmt::format("{}", info.threads),
            std::string(to_string(info.state)),
            info.library,
            row.key.layer,
            std::string(to_string(row.key.pass)),
            row.key.part,
            fmt::format("{}", row.ordinal),
            std::string(to_string(row.kind)),
            row.problem,
            std::string(to_string(row.dtype)),
            row.implementation,
            row.formats,
            time(row.time.time),
            time(row.time.spread),
            time(row.time.raw_min),
            time(row.time.median),
            fmt::format("{}", row.time.samples),
            fmt::format("{}", row.time.quiet_samples),
            word(row.time.settled),
            word(row.time.upper_bound),
            number(row.creation),
            number(row.first_call),
            row.scratchpad ? number(row.scratchpad->value()) : std::string()};
}

}  // namespace

std::string run_csv(const Run& run) {
    const auto names = counter_names(run);
    std::vector<std::string> header{"run",           "network",         "batch",       "threads",
                                    "state",         "library",         "layer",       "pass",
                                    "part",          "ordinal",         "kind",        "problem",
                                    "dtype",         "implementation",  "formats",     "time_s",
                                    "spread_s",      "raw_min_s",       "median_s",    "samples",
                                    "quiet_samples", "settled",         "upper_bound", "creation_s",
                                    "first_call_s",  "scratchpad_bytes"};
    for (const auto& name : names) {
        header.push_back("counter:" + name);
        header.push_back("source:" + name);
    }
    std::string csv;
    add_line(csv, header);
    for (const auto& row : run.rows) {
        auto fields = fields_of(run.info, row);
        for (const auto& name : names) {
            const auto found = row.counters.find(name);
            const bool there = found != row.counters.end() && found->second.available();
            fields.push_back(there ? number(found->second.value()) : "");
            fields.push_back(there ? std::string(to_string(found->second.source()))
                             : found != row.counters.end()
                                 ? "unavailable: " + found->second.reason()
                                 : "");
        }
        add_line(csv, fields);
    }
    return csv;
}

std::string run_json_lines(const Run& run) {
    std::string lines = text_of({{"type", "run"},
                                 {"run", to_json(run.info)},
                                 {"step", run.step ? to_json(*run.step) : Json(nullptr)}}) +
                        "\n";
    for (const auto& row : run.rows) {
        Json json = to_json(row);
        json["type"] = "row";
        json["run"] = run.info.id;
        lines += text_of(json) + "\n";
    }
    return lines;
}

std::string run_chrome_trace(const Run& run) {
    Json events = Json::array();
    const auto name_lane = [&](int lane, const char* name) {
        events.push_back({{"ph", "M"},
                          {"name", "thread_name"},
                          {"pid", 1},
                          {"tid", lane},
                          {"args", {{"name", name}}}});
    };
    name_lane(1, "layers");
    name_lane(2, "reorders");
    double start_us = 0;
    for (const auto& row : run.rows) {
        const double us = row.time.time.value() * 1e6;
        if (!(us > 0)) continue;
        std::string name = row.key.layer + " " + std::string(to_string(row.key.pass));
        if (!row.key.part.empty()) name += ", " + row.key.part;
        events.push_back({{"ph", "X"},
                          {"cat", to_string(row.kind)},
                          {"name", name},
                          {"pid", 1},
                          {"tid", row.key.part.empty() ? 1 : 2},
                          {"ts", json_number(start_us)},
                          {"dur", json_number(us)},
                          {"args",
                           {{"problem", row.problem},
                            {"implementation", row.implementation},
                            {"spread_us", json_number(row.time.spread.value() * 1e6)},
                            {"upper_bound", row.time.upper_bound},
                            {"source", to_string(Source::measured)}}}});
        start_us += us;
    }
    const Json trace{{"displayTimeUnit", "ms"},
                     {"otherData",
                      {{"run", run.info.id},
                       {"network", run.info.network},
                       {"batch", run.info.batch},
                       {"threads", run.info.threads},
                       {"rows", "one behind the other, as long as each takes"}}},
                     {"traceEvents", std::move(events)}};
    return text_of(trace) + "\n";
}

}  // namespace ridge::report
