// Scores as Markdown, for the terminal and for docs/accuracy.md.
#pragma once

#include <string>

#include "validate/gpu/validation.hpp"

namespace ridge::validate::kernels {

[[nodiscard]] std::string scores_markdown(const Validation& validation);
[[nodiscard]] std::string devices_markdown(const Validation& validation);
[[nodiscard]] std::string steps_markdown(const Validation& validation);
[[nodiscard]] std::string choices_markdown(const Validation& validation);
[[nodiscard]] std::string worst_markdown(const Validation& validation);

}  // namespace ridge::validate::kernels
