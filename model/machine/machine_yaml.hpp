// Machine files as text; the format is described in docs/formats.md, "Machine files".
#pragma once

#include <string>

#include "ridge/machine.hpp"

namespace ridge {

inline constexpr int machine_format = 1;

/// Throws Error bad_input with file, line, key, expected and found: for a typo, a missing key, a
/// wrong type, and for numbers that check_machine calls impossible.
[[nodiscard]] Machine machine_from_yaml(const std::string& text, const std::string& file);

/// Text that machine_from_yaml reads back to an equal Machine.
[[nodiscard]] std::string machine_to_yaml(const Machine& machine);

}  // namespace ridge
