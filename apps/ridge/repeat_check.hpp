// How well a machine repeats itself: two complete runs of the same job, row by row.
#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"
#include "report/table.hpp"
#include "ridge/measurement.hpp"
#include "ridge/statistics.hpp"

namespace ridge::app {

/// Differences of one group of rows, as shares of their mean.
struct RepeatGroup {
    std::string name;  ///< "all counted", "settled in both", a layer kind...
    std::vector<double> differences;
};

/// A row with the fewest quiet samples of the two runs below `quiet_needed` is an upper bound of
/// its time and is never counted as agreeing.
struct RepeatCheck {
    std::int64_t first = 0, second = 0;  ///< run ids
    std::size_t rows = 0;                ///< in both runs
    std::size_t counted = 0;             ///< with enough quiet samples in both
    std::vector<RepeatGroup> groups;     ///< the first holds all counted rows
    double step_difference = -1;         ///< of the whole step; negative when it was not timed
};

inline constexpr int quiet_needed = 4;

[[nodiscard]] RepeatCheck compare_runs(const Run& first, const Run& second);
[[nodiscard]] report::Table repeat_table(const RepeatCheck& check);
/// "412 of 426 layer passes counted (96.7 %)..."
[[nodiscard]] std::string repeat_summary(const RepeatCheck& check);
[[nodiscard]] Json to_json(const RepeatCheck& check);

}  // namespace ridge::app
