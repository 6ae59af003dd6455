// The ceilings of a machine as tables: measured beside the datasheet, with spread and source.
#pragma once

#include <optional>
#include <utility>

#include "report/table.hpp"
#include "ridge/machine.hpp"
#include "ridge/measurement.hpp"

namespace ridge::report {

[[nodiscard]] Table compute_table(const Machine& machine);
[[nodiscard]] Table bandwidth_table(const Machine& machine);
[[nodiscard]] Table levels_table(const Machine& machine);
/// Names and values of the rest: CPU, threads, overheads, quiet levels.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> machine_facts(
    const Machine& machine);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_facts(
    const RunInfo& info, const std::optional<StepTime>& step);

}  // namespace ridge::report
