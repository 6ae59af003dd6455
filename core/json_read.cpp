#include <algorithm>
#include <climits>

#include "core/json.hpp"

namespace ridge {
namespace {

/// No time of ours is longer than a year.
constexpr double longest_s = 3.2e7;
/// And no time that was measured is shorter than a picosecond, least of all 0.
constexpr double shortest_s = 1e-12;

Seconds time_at(const JsonReader& json, const std::string& key) {
    return Seconds(json.at(key).number(0, longest_s));
}

Seconds measured_time_at(const JsonReader& json, const std::string& key) {
    return Seconds(json.at(key).number(shortest_s, longest_s));
}

std::optional<Seconds> optional_time_at(const JsonReader& json, const std::string& key) {
    if (!json.has(key)) return std::nullopt;
    return time_at(json, key);
}

int count_at(const JsonReader& json, const std::string& key, int least = 0) {
    return static_cast<int>(json.at(key).integer(least, INT_MAX));
}

std::string text_at(const JsonReader& json, const std::string& key) {
    return json.at(key).text();
}

/// A quiet level; null (none was known) is 0 in the struct.
double level_at(const JsonReader& json, const std::string& key) {
    return json.has(key) ? json.at(key).number(0, 1e18) : 0;
}

/// "2026-01-31T12:00:00Z", or empty when unknown.
std::string moment_at(const JsonReader& json, const std::string& key) {
    static constexpr std::string_view pattern = "dddd-dd-ddTdd:dd:ddZ";
    const JsonReader value = json.at(key);
    std::string text = value.text();
    const bool fits =
        std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                   [](char c, char p) { return p == 'd' ? c >= '0' && c <= '9' : c == p; });
    if (!text.empty() && !fits) throw value.wrong("UTC such as 2026-01-31T12:00:00Z");
    return text;
}

/// A word of an enumeration; `read` gives nothing for a word it does not know.
template <class Read>
auto word_at(const JsonReader& json, const std::string& key, Read read, std::string_view what) {
    const JsonReader value = json.at(key);
    const auto found = read(value.text());
    if (!found) throw value.wrong(what);
    return *found;
}

Reading reading_from_json(const JsonReader& json) {
    json.allow_keys({"value", "source", "unavailable"});
    if (json.has("value"))
        return {json.at("value").number(-1e300, 1e300),
                word_at(json, "source", source_from_string, "a source such as measured")};
    return Reading::unavailable(text_at(json, "unavailable"));
}

Environment environment_from_json(const JsonReader& json) {
    json.allow_keys({"cpu_model", "cpu_flags", "kernel", "hostname_hash", "governor",
                     "virtualisation", "library", "library_version", "library_isa", "threads",
                     "cpus", "ridge_version", "compiler"});
    Environment environment;
    environment.cpu_model = text_at(json, "cpu_model");
    for (const auto& flag : json.at("cpu_flags").items())
        environment.cpu_flags.push_back(flag.text());
    environment.kernel = text_at(json, "kernel");
    environment.hostname_hash = text_at(json, "hostname_hash");
    environment.governor = text_at(json, "governor");
    environment.virtualisation = text_at(json, "virtualisation");
    environment.library = text_at(json, "library");
    environment.library_version = text_at(json, "library_version");
    environment.library_isa = text_at(json, "library_isa");
    environment.threads = count_at(json, "threads", 1);
    for (const auto& cpu : json.at("cpus").items())
        environment.cpus.push_back(static_cast<int>(cpu.integer(0, INT_MAX)));
    environment.ridge_version = text_at(json, "ridge_version");
    environment.compiler = text_at(json, "compiler");
    return environment;
}

/// What the time of a row and that of a step have in common; without a time, only the counts.
TimeSummary read_summary(const JsonReader& json) {
    TimeSummary summary;
    summary.samples = count_at(json, "samples");
    summary.quiet_samples = static_cast<int>(json.at("quiet_samples").integer(0, summary.samples));
    if (!json.has("time_s")) return summary;
    summary.time = measured_time_at(json, "time_s");
    summary.spread = time_at(json, "spread_s");
    summary.raw_min = time_at(json, "raw_min_s");
    summary.median = time_at(json, "median_s");
    summary.settled = json.at("settled").boolean();
    summary.upper_bound = json.at("upper_bound").boolean();
    return summary;
}

}  // namespace

Sample sample_from_json(const JsonReader& json) {
    json.allow_keys(
        {"visit", "time_s", "raw_time_s", "executions", "fma_level", "issue_level", "quiet"});
    Sample sample;
    sample.visit = count_at(json, "visit");
    sample.time = measured_time_at(json, "time_s");
    sample.raw_time = measured_time_at(json, "raw_time_s");
    sample.executions = count_at(json, "executions", 1);
    sample.fma_level = json.at("fma_level").number(0, 1e6);
    sample.issue_level = json.at("issue_level").number(0, 1e6);
    sample.quiet = json.at("quiet").boolean();
    return sample;
}

TimeSummary time_summary_from_json(const JsonReader& json) {
    json.allow_keys({"time_s", "unavailable", "spread_s", "raw_min_s", "median_s", "samples",
                     "quiet_samples", "settled", "upper_bound", "source"});
    return read_summary(json);
}

StepTime step_time_from_json(const JsonReader& json) {
    json.allow_keys({"time_s", "spread_s", "raw_min_s", "median_s", "samples", "quiet_samples",
                     "settled", "upper_bound", "source", "interval_low_s", "interval_high_s",
                     "method"});
    if (!json.has("time_s")) throw json.at("time_s").wrong("the time of the step");
    StepTime step{read_summary(json), time_at(json, "interval_low_s"),
                  time_at(json, "interval_high_s"), text_at(json, "method")};
    if (step.interval_low > step.interval_high)
        throw json.wrong("interval_low_s of at most interval_high_s");
    return step;
}

RunInfo run_info_from_json(const JsonReader& json) {
    json.allow_keys({"id", "network", "batch", "threads", "dtype", "state", "library", "machine",
                     "quiet_fma_flops_per_s", "quiet_issue_instructions_per_s", "quiet_clock_hz",
                     "started_at", "complete", "protocol", "command", "counters",
                     "simulated_caches", "environment"});
    RunInfo info;
    info.id = json.at("id").integer(0, INT64_MAX);
    info.network = text_at(json, "network");
    info.batch = json.at("batch").integer(1, INT64_MAX);
    info.threads = count_at(json, "threads", 1);
    info.dtype = word_at(json, "dtype", data_type_from_string, "a data type such as f32");
    info.state = word_at(json, "state", cache_state_from_string, "cold, warm or in_step");
    info.library = text_at(json, "library");
    info.machine = text_at(json, "machine");
    info.quiet_fma = FlopsPerSecond(level_at(json, "quiet_fma_flops_per_s"));
    info.quiet_issue = InstructionsPerSecond(level_at(json, "quiet_issue_instructions_per_s"));
    info.quiet_clock = Hertz(level_at(json, "quiet_clock_hz"));
    info.started_at = moment_at(json, "started_at");
    info.complete = json.at("complete").boolean();
    info.protocol = text_at(json, "protocol");
    info.command = text_at(json, "command");
    // Runs from before these were counted have neither.
    if (json.has("counters")) info.counters = text_at(json, "counters");
    if (json.has("simulated_caches")) info.simulated_caches = text_at(json, "simulated_caches");
    info.environment = environment_from_json(json.at("environment"));
    return info;
}

Measurement measurement_from_json(const JsonReader& json) {
    json.allow_keys({"layer", "pass", "part", "ordinal", "kind", "problem", "dtype",
                     "implementation", "formats", "time", "creation_s", "first_call_s",
                     "scratchpad_bytes", "counters", "samples"});  // an export adds the samples
    Measurement row;
    row.key.layer = text_at(json, "layer");
    row.key.pass = word_at(json, "pass", pass_from_string, "a pass such as forward");
    row.key.part = text_at(json, "part");
    row.ordinal = count_at(json, "ordinal");
    row.kind = word_at(json, "kind", layer_kind_from_string, "a layer kind such as conv");
    row.problem = text_at(json, "problem");
    row.dtype = word_at(json, "dtype", data_type_from_string, "a data type such as f32");
    row.implementation = text_at(json, "implementation");
    row.formats = text_at(json, "formats");
    row.time = time_summary_from_json(json.at("time"));
    row.creation = optional_time_at(json, "creation_s");
    row.first_call = optional_time_at(json, "first_call_s");
    if (json.has("scratchpad_bytes"))
        row.scratchpad = Bytes(json.at("scratchpad_bytes").number(0, 1e18));
    for (const auto& [name, reading] : json.at("counters").entries())
        row.counters.emplace(name, reading_from_json(reading));
    return row;
}

}  // namespace ridge
