// What `ridge runs` prints for people.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "ridge/measurement.hpp"

namespace ridge::app {

/// A run with what only its store knows.
struct ListedRun {
    RunInfo info;
    bool live = false;  ///< its process is measuring
};

/// "complete", "running" or "interrupted".
[[nodiscard]] std::string status_of(const ListedRun& run);

[[nodiscard]] std::string runs_table(const std::vector<ListedRun>& runs,
                                     const report::Terminal& terminal);
/// Where and how the run was made, its rows, and its step.
[[nodiscard]] std::string run_text(const Run& run, bool live, const report::Terminal& terminal);

}  // namespace ridge::app
