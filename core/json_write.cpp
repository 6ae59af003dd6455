#include <cmath>

#include "core/json.hpp"

namespace ridge {
namespace {

Json json_optional(const std::optional<Seconds>& time) {
    return time ? json_number(time->value()) : Json(nullptr);
}

/// A quiet level; 0 in the struct means that none was known, which no number may say.
Json json_level(double value) {
    return value > 0 ? json_number(value) : Json(nullptr);
}

}  // namespace

Json json_number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Reading& reading) {
    if (!reading.available()) return {{"value", nullptr}, {"unavailable", reading.reason()}};
    return {{"value", json_number(reading.value())}, {"source", to_string(reading.source())}};
}

Json to_json(const Sample& sample) {
    return {{"visit", sample.visit},
            {"time_s", json_number(sample.time.value())},
            {"raw_time_s", json_number(sample.raw_time.value())},
            {"executions", sample.executions},
            {"fma_level", json_number(sample.fma_level)},
            {"issue_level", json_number(sample.issue_level)},
            {"quiet", sample.quiet}};
}

Json to_json(const TimeSummary& summary) {
    // No time is 0: a row of a run that was interrupted before its summaries.
    if (!(summary.time.value() > 0))
        return {{"time_s", nullptr},
                {"unavailable", "not summarised yet"},
                {"samples", summary.samples},
                {"quiet_samples", summary.quiet_samples}};
    return {{"time_s", json_number(summary.time.value())},
            {"spread_s", json_number(summary.spread.value())},
            {"raw_min_s", json_number(summary.raw_min.value())},
            {"median_s", json_number(summary.median.value())},
            {"samples", summary.samples},
            {"quiet_samples", summary.quiet_samples},
            {"settled", summary.settled},
            {"upper_bound", summary.upper_bound},
            {"source", to_string(Source::measured)}};
}

Json to_json(const StepTime& step) {
    Json json = to_json(step.time);
    json["interval_low_s"] = json_number(step.interval_low.value());
    json["interval_high_s"] = json_number(step.interval_high.value());
    json["method"] = step.method;
    return json;
}

Json to_json(const Environment& environment) {
    return {{"cpu_model", environment.cpu_model},
            {"cpu_flags", environment.cpu_flags},
            {"kernel", environment.kernel},
            {"hostname_hash", environment.hostname_hash},
            {"governor", environment.governor},
            {"virtualisation", environment.virtualisation},
            {"library", environment.library},
            {"library_version", environment.library_version},
            {"library_isa", environment.library_isa},
            {"threads", environment.threads},
            {"cpus", environment.cpus},
            {"ridge_version", environment.ridge_version},
            {"compiler", environment.compiler}};
}

Json to_json(const RunInfo& info) {
    return {{"id", info.id},
            {"network", info.network},
            {"batch", info.batch},
            {"threads", info.threads},
            {"dtype", to_string(info.dtype)},
            {"state", to_string(info.state)},
            {"library", info.library},
            {"machine", info.machine},
            {"quiet_fma_flops_per_s", json_level(info.quiet_fma.value())},
            {"quiet_issue_instructions_per_s", json_level(info.quiet_issue.value())},
            {"quiet_clock_hz", json_level(info.quiet_clock.value())},
            {"started_at", info.started_at},
            {"complete", info.complete},
            {"protocol", info.protocol},
            {"command", info.command},
            {"counters", info.counters},
            {"simulated_caches", info.simulated_caches},
            {"environment", to_json(info.environment)}};
}

Json to_json(const Measurement& row) {
    Json counters = Json::object();
    for (const auto& [name, reading] : row.counters) counters[name] = to_json(reading);
    return {
        {"layer", row.key.layer},
        {"pass", to_string(row.key.pass)},
        {"part", row.key.part},
        {"ordinal", row.ordinal},
        {"kind", to_string(row.kind)},
        {"problem", row.problem},
        {"dtype", to_string(row.dtype)},
        {"implementation", row.implementation},
        {"formats", row.formats},
        {"time", to_json(row.time)},
        {"creation_s", json_optional(row.creation)},
        {"first_call_s", json_optional(row.first_call)},
        {"scratchpad_bytes", row.scratchpad ? json_number(row.scratchpad->value()) : Json(nullptr)},
        {"counters", counters}};
}

Json to_json(const Run& run) {
    Json rows = Json::array();
    for (const auto& row : run.rows) rows.push_back(to_json(row));
    return {{"run", to_json(run.info)},
            {"step", run.step ? to_json(*run.step) : Json(nullptr)},
            {"rows", std::move(rows)}};
}

}  // namespace ridge
