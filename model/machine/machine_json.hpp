// A machine as JSON: the keys of the machine file, every figure with its source.
#pragma once

#include "core/json.hpp"
#include "ridge/machine.hpp"

namespace ridge {

/// {"value", "source", "spread" (null without repetition), "note"}
[[nodiscard]] Json to_json(const Figure& figure);
[[nodiscard]] Json to_json(const Machine& machine);

}  // namespace ridge
