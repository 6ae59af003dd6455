// JSON as programs read it: units in the key names, no NaN or infinity (null instead, with the
// reason beside it where there is one), errors that name the document and the key.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "ridge/error.hpp"
#include "ridge/measurement.hpp"

namespace ridge {

using Json = nlohmann::ordered_json;

/// null for a number that is not finite.
[[nodiscard]] Json json_number(double value);
/// {"value": v, "source": s} or {"value": null, "unavailable": reason}.
[[nodiscard]] Json to_json(const Reading& reading);
[[nodiscard]] Json to_json(const Sample& sample);
[[nodiscard]] Json to_json(const TimeSummary& summary);
[[nodiscard]] Json to_json(const StepTime& step);
[[nodiscard]] Json to_json(const Environment& environment);
[[nodiscard]] Json to_json(const RunInfo& info);
[[nodiscard]] Json to_json(const Measurement& row);

/// A value inside a JSON document that knows its place, for reading back. Throws Error bad_input
/// "DOCUMENT: KEY: expected ..., found ...".
class JsonReader {
public:
    /// Parses; `document` is the file's name or what it is.
    JsonReader(const std::string& text, std::string document);
    JsonReader(Json value, std::string document, std::string key)
        : value_(std::move(value)), document_(std::move(document)), key_(std::move(key)) {}

    [[nodiscard]] bool has(const std::string& key) const;  ///< present and not null
    [[nodiscard]] JsonReader at(const std::string& key) const;
    [[nodiscard]] std::vector<JsonReader> items() const;
    [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> entries() const;
    [[nodiscard]] double number(double least, double most) const;
    [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
    [[nodiscard]] bool boolean() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] Error wrong(std::string_view expected) const;
    [[nodiscard]] const Json& raw() const { return value_; }

private:
    Json value_;
    std::string document_, key_;
};

[[nodiscard]] Sample sample_from_json(const JsonReader& json);
[[nodiscard]] TimeSummary time_summary_from_json(const JsonReader& json);
[[nodiscard]] StepTime step_time_from_json(const JsonReader& json);
[[nodiscard]] RunInfo run_info_from_json(const JsonReader& json);
[[nodiscard]] Measurement measurement_from_json(const JsonReader& json);

}  // namespace ridge
