// The text of a layer: "driver:problem[n"name"][,attribute=value...]". The problem is benchdnn's:
// lower-case keys followed by numbers with '_' ignored, or sizes such as 8x64x56x56. Attributes
// carry what benchdnn gives as options in front of the problem.
//
//   conv:mb16ic64ih56oc64oh56kh3ph1n"res2a",bias=0,dtype=bf16
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/error.hpp"

namespace ridge::workload {

/// Largest size of a dimension that is not spatial.
inline constexpr std::int64_t largest_dimension = 1'000'000'000;
/// Largest height, width, kernel, stride, dilation and padding: taps are counted one by one.
inline constexpr std::int64_t largest_extent = 65536;

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
    /// A key whose number may have decimals.
    [[nodiscard]] double real(const std::string& key, double fallback);

    /// The text of an attribute, or nothing.
    [[nodiscard]] std::optional<std::string> attribute(const std::string& key);
    /// 0 or 1.
    [[nodiscard]] bool flag(const std::string& key, bool fallback);

    /// The problem when it consists of sizes, "64x1024:1024x512"; empty when it consists of keys.
    [[nodiscard]] const std::string& dimensions() {
        dimensions_used_ = true;
        return dimensions_;
    }

    /// Throws when a key or attribute was given that this kind does not have.
    void finish() const;

    /// bad_input "layer 'LINE': WHAT".
    [[nodiscard]] Error wrong(std::string_view what, std::string_view expected,
                              std::string_view found) const;

private:
    void read_keys(std::string_view problem);
    void read_attributes(std::string_view text);
    [[nodiscard]] const std::string* find_text(const std::string& key);

    struct Value {
        std::string text;
        bool used = false;
    };
    std::string line_, driver_, name_, dimensions_;
    bool dimensions_used_ = false;
    std::map<std::string, Value> keys_, attributes_;
    std::vector<std::string> known_keys_, known_attributes_;  ///< in the order they were asked for
};

}  // namespace ridge::workload
