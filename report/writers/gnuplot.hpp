// Draws plots as svg, png or pdf through gnuplot, which gets its script and data on standard
// input and answers on standard output: no file is left behind.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/plot.hpp"

namespace ridge::report {

enum class ImageFormat { svg, png, pdf };

/// Path of the gnuplot on PATH; nothing when there is none.
[[nodiscard]] std::optional<std::string> find_gnuplot();

/// Throws Error not_possible with the name of the Debian package when there is no gnuplot.
void require_gnuplot();

/// What a script prints on standard error when gnuplot got through all of it.
inline constexpr std::string_view gnuplot_done = "ridge: plot complete";

/// The complete input for gnuplot. Lengths are laid out in CSS pixels.
[[nodiscard]] std::string gnuplot_script(const Plot& plot, ImageFormat format);

/// The image file's bytes. Throws Error not_possible without gnuplot and job_failed with gnuplot's
/// own message when it fails.
[[nodiscard]] std::string render(const Plot& plot, ImageFormat format);

}  // namespace ridge::report
