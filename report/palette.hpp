// One colour per layer kind and one symbol per pass, the same in every plot and table.
#pragma once

#include <string>

#include "report/plot.hpp"
#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"

namespace ridge::report {

/// "#rrggbb", distinct for the common forms of colour blindness where neighbours matter.
[[nodiscard]] std::string colour_of(LayerKind kind);
[[nodiscard]] std::string colour_of(Pass pass);
[[nodiscard]] Symbol symbol_of(Pass pass);
/// Of the roof with this index and of what is shown beside it, nearest memory level first.
[[nodiscard]] std::string level_colour(std::size_t level);
/// Words for people: "batch normalization", "backward, weights".
[[nodiscard]] std::string title_of(LayerKind kind);
[[nodiscard]] std::string title_of(Pass pass);
/// Reorders around a layer are drawn and counted as reorders.
[[nodiscard]] LayerKind shown_kind(const Measurement& row);

}  // namespace ridge::report
