// Hierarchical dots: one row of a run at the intensity of every memory level (Yang, Kurth and
// Williams, Concurrency and Computation 2020), from bytes that were simulated.
#pragma once

#include <string>
#include <vector>

#include "report/plot.hpp"

namespace ridge::report {

struct LevelDot {
    std::string level;
    Dot dot;
};

/// The row's rate at its useful operations over the bytes of each level, from left to right;
/// size, symbol and row from `model`, the colour that of the level's roof. A level that no bytes
/// cross has no dot: its intensity is not defined.
[[nodiscard]] std::vector<LevelDot> level_dots(const RowAnalysis& row, const Dot& model,
                                               const Roofline& roofline);

/// A line through the dots of one row and, when `labelled`, the levels' names above them; names of
/// dots that nearly coincide share a label.
void join(Panel& panel, const std::vector<LevelDot>& dots, const std::string& row, bool labelled,
          double x_per_decade, double y_per_decade);

}  // namespace ridge::report
