// What `ridge validate` found, as the tables that the terminal and docs/accuracy.md show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "report/plot.hpp"
#include "validate/evaluate.hpp"

namespace ridge::app {

struct Validation {
    std::string reference;  ///< folder or file of the measurements
    std::string machine;
    std::string demand;  ///< "traced" or "analytic"
    std::vector<validate::ReferenceRow> rows;
    std::vector<validate::SplitResult> splits;
};

/// Markdown tables, one section per split.
[[nodiscard]] std::string validation_text(const Validation& validation, std::size_t worst);
[[nodiscard]] Json validation_json(const Validation& validation);
/// Predicted against measured time of every held-out row of the first split.
[[nodiscard]] report::Plot scatter_plot(const Validation& validation);
/// Puts `section` between the marker lines of a document, or at its end.
[[nodiscard]] std::string with_section(const std::string& document, const std::string& section);

}  // namespace ridge::app
