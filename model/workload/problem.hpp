// The text of a layer: "driver:problem[,attribute=value...]". The problem is benchdnn's: lower-case
// keys followed by whole numbers, '_' ignored, an optional name n"...". Attributes carry what
// benchdnn gives as options in front of the problem.
//
//   conv:mb16ic64ih56oc64oh56kh3ph1n"res2a",bias=0,dtype=bf16
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ridge/error.hpp"

namespace ridge::workload {

/// Reads a layer's text key by key; what nobody asked for is an error in the end.
class ProblemReader {
public:
    /// Splits the text. Throws Error bad_input for anything that is not of the form above.
    explicit ProblemReader(std::string_view line);

    [[nodiscard]] const std::string& driver() const { return driver_; }
    [[nodiscard]] const std::string& name() const { return name_; }

    /// The number of a key, or nothing when it is absent. Throws when it is below `least`.
    [[nodiscard]] std::optional<std::int64_t> find(const std::string& key, std::int64_t least = 1);
    [[nodiscard]] std::int64_t at(const std::string& key, std::int64_t least = 1);
    [[nodiscard]] std::int64_t get(const std::string& key, std::int64_t fallback,
                                   std::int64_t least = 1);

    /// The text of an attribute, or nothing.
    [[nodiscard]] std::optional<std::string> attribute(const std::string& key);
    /// 0 or 1.
    [[nodiscard]] bool flag(const std::string& key, bool fallback);

    /// The problem in the form of dimensions, "64x1024:1024x512", when it starts with a digit.
    [[nodiscard]] const std::string& dimensions() const { return dimensions_; }

    /// Throws when a key or attribute was given that this kind does not have.
    void finish() const;

    /// bad_input "layer 'LINE': WHAT".
    [[nodiscard]] Error wrong(std::string_view what, std::string_view expected,
                              std::string_view found) const;

private:
    void read_keys(std::string_view problem);
    void read_attributes(std::string_view text);

    std::string line_, driver_, name_, dimensions_;
    struct Value {
        std::int64_t number = 0;
        bool used = false;
    };
    std::map<std::string, Value> keys_;
    struct Attribute {
        std::string text;
        bool used = false;
    };
    std::map<std::string, Attribute> attributes_;
};

}  // namespace ridge::workload
