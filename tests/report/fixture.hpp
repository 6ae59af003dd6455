// Analysed runs that were never measured, for the tests of everything that shows them: the sizes
// and odd cases of real ones, with names that try to break out of text, CSV, gnuplot and HTML.
#pragma once

#include "ridge/machine.hpp"
#include "ridge/roofline.hpp"

namespace ridge::test {

/// Names that every output must survive.
inline constexpr const char* hostile_name = "pool'5 \"a,b\" </script><b>&amp;";

/// Ceilings of an imaginary core: 90 GFLOP/s with FMA, L1 300, L2 150, L3 60, DRAM 15 GB/s, so
/// ridge points at 0.3, 0.6, 1.5 and 6 FLOP/B.
[[nodiscard]] Roofline example_roofline();
[[nodiscard]] Machine example_machine();

/// A row of `flops` and `bytes` that takes `time_s`; share_of_step is left at 0.
[[nodiscard]] RowAnalysis example_row(const std::string& layer, Pass pass, LayerKind kind,
                                      double time_s, double flops, double bytes);
/// The run of these rows: ordinals, sum and shares filled in.
[[nodiscard]] RunAnalysis example_run(std::vector<RowAnalysis> rows);

/// About 60 rows: zero-FLOP rows, a reorder, an upper bound, a flagged row, a hostile name.
[[nodiscard]] RunAnalysis alexnet_like();
/// About 400 rows.
[[nodiscard]] RunAnalysis resnet_like();

}  // namespace ridge::test
