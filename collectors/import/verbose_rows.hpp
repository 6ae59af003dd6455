// Which executions of a step belong to the same layer, and for whom a reorder works.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectors/import/verbose_layer.hpp"
#include "collectors/import/verbose_log.hpp"
#include "ridge/measurement.hpp"

namespace ridge::import {

/// What one execution of a step is called. The problem is a layer line where Ridgepoint has the
/// kind, else the log's own words.
struct NamedExecution {
    RowKey key;
    LayerKind kind = LayerKind::other;
    std::string problem;
    std::string unknown;  ///< why there is no layer line
};

/// `step` is a list of executions in order. Forward and backward executions of the same problem are
/// passes of one layer: the backward ones run in the opposite order, and the first layers may have
/// none. A reorder belongs to the next primitive that has a tensor of its size, else to the one
/// before whose result has it.
[[nodiscard]] std::vector<NamedExecution> name_executions(
    const std::vector<const VerboseRecord*>& step);

}  // namespace ridge::import
