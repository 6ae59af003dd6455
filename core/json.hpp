// JSON as programs read it: units in the key names, no NaN or infinity (null instead, with the
// reason beside it where there is one), errors that name the document and the key.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
/// {"run": ..., "step": ... or null, "rows": [...]}
[[nodiscard]] Json to_json(const Run& run);

/// A value inside a JSON document that knows its place, for reading back. Throws Error bad_input
/// "DOCUMENT: KEY: expected ..., found ...". Copies share the document.
class JsonReader {
public:
    /// Parses; `document` is the file's name or what it is. A key given twice is an error.
    JsonReader(const std::string& text, std::string document);

    /// Refuses keys that are not listed, naming the nearest that is.
    void allow_keys(const std::vector<std::string>& keys) const;
    [[nodiscard]] bool has(const std::string& key) const;  ///< present and not null
    [[nodiscard]] JsonReader at(const std::string& key) const;
    [[nodiscard]] std::vector<JsonReader> items() const;
    [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> entries() const;
    [[nodiscard]] double number(double least, double most) const;
    [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
    [[nodiscard]] bool boolean() const;
    [[nodiscard]] std::string text() const;
    /// bad_input at this value, showing what it is.
    [[nodiscard]] Error wrong(std::string_view expected) const;
    [[nodiscard]] Error wrong(std::string_view expected, std::string_view found) const;

private:
    JsonReader(const Json& value, const JsonReader& parent, std::string key)
        : root_(parent.root_), value_(&value), document_(parent.document_), key_(std::move(key)) {}
    [[nodiscard]] std::string key_of(const std::string& child) const;

    std::shared_ptr<const Json> root_;
    const Json* value_;  ///< within *root_
    std::string document_, key_;
};

[[nodiscard]] Sample sample_from_json(const JsonReader& json);
[[nodiscard]] TimeSummary time_summary_from_json(const JsonReader& json);
[[nodiscard]] StepTime step_time_from_json(const JsonReader& json);
[[nodiscard]] RunInfo run_info_from_json(const JsonReader& json);
[[nodiscard]] Measurement measurement_from_json(const JsonReader& json);

}  // namespace ridge
