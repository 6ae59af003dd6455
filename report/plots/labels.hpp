// Where labels of parallel lines go so that they do not print over each other.
#pragma once

#include <string>
#include <vector>

namespace ridge::report {

/// Lengths in CSS pixels for the type that writers use for labels.
inline constexpr double label_height = 15, label_character = 6.6;
[[nodiscard]] double label_length(const std::string& text);

/// A label and its line's position across the common direction, growing upwards.
struct LineLabel {
    double offset = 0, length = 0;
};
struct LabelPlace {
    bool below = false;  ///< under the line instead of above it
    double shift = 0;    ///< along the line, past the labels of its neighbours
};
/// Above its line where there is room, else below, else further along. Same order as `labels`.
[[nodiscard]] std::vector<LabelPlace> place_labels(const std::vector<LineLabel>& labels);

}  // namespace ridge::report
