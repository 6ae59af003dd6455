// A number together with how it was obtained, or the reason why there is none. What cannot be
// measured is data: never 0, never NaN.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ridge {

/// How a number came to be. Printed beside every reported value.
enum class Source {
    measured,     ///< read from a clock or a hardware counter in a real run
    traced,       ///< counted exactly in the executed instruction stream
    simulated,    ///< computed by the memory simulator
    algorithmic,  ///< computed from the layer's dimensions
    given,        ///< written by a person: a datasheet, a machine file, an option
};

[[nodiscard]] std::string_view to_string(Source source);
/// Inverse of to_string; nothing for an unknown word.
[[nodiscard]] std::optional<Source> source_from_string(std::string_view word);

/// A value with its source, or unavailable with the reason.
class Reading {
public:
    /// Precondition: `value` is finite (checked; throws Error job_failed).
    Reading(double value, Source source);

    [[nodiscard]] static Reading unavailable(std::string reason);

    [[nodiscard]] bool available() const { return value_.has_value(); }
    /// Throws Error job_failed with the reason when unavailable.
    [[nodiscard]] double value() const;
    [[nodiscard]] double value_or(double fallback) const { return value_.value_or(fallback); }
    /// Meaningful only when available.
    [[nodiscard]] Source source() const { return source_; }
    /// Empty when available.
    [[nodiscard]] const std::string& reason() const { return reason_; }

    bool operator==(const Reading&) const = default;

private:
    Reading() = default;
    std::optional<double> value_;
    Source source_ = Source::given;
    std::string reason_;
};

}  // namespace ridge
