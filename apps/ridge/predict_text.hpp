// What `ridge predict` prints of predicted steps.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/ridge/predict_job.hpp"
#include "core/json.hpp"
#include "report/table.hpp"

namespace ridge::app {

/// Rows of one step, or its `top` longest; with measured times beside them where there are any.
[[nodiscard]] report::Table rows_table(const PredictedStep& step, std::size_t top);
/// One line per step.
[[nodiscard]] report::Table sweep_table(const std::vector<PredictedStep>& steps);
[[nodiscard]] Json json_of(const PredictedStep& step);

void print_step(const PredictedStep& step, std::size_t top, bool terms);

}  // namespace ridge::app
