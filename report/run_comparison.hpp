// Runs of the same network side by side: an optimised against a plain library, and one thread
// against several.
#pragma once

#include <optional>
#include <vector>

#include "report/table.hpp"
#include "ridge/measurement.hpp"

namespace ridge::report {

/// Rows that both runs have, matched by key, in the order of `base`; the totals are of these rows
/// only. Reorders are not matched but summed into their layer's pass, because a library that needs
/// none must not look slower. A ratio above 1 says how much slower `other` is.
[[nodiscard]] Table library_table(const Run& base, const Run& other);

/// Time by thread count with speed-up and efficiency against the fewest threads; `runs` has one
/// run for each thread count, at least two.
[[nodiscard]] Table scaling_table(std::vector<const Run*> runs);

/// Runs among `infos` that can stand beside `info`: same network, batch, data type and state,
/// complete; newest first as given.
[[nodiscard]] std::optional<RunInfo> other_library(const RunInfo& info,
                                                   const std::vector<RunInfo>& infos);
/// The newest for each thread count other than that of `info`, same library.
[[nodiscard]] std::vector<RunInfo> other_thread_counts(const RunInfo& info,
                                                       const std::vector<RunInfo>& infos);

}  // namespace ridge::report
