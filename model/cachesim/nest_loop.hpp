// What can be said of a nest without running it: how long it is, and which iterations of its root
// are alike.
#pragma once

#include "ridge/loop_nest.hpp"

namespace ridge::cachesim {

/// Iterations of the root that each thread gets; the last thread may get fewer.
[[nodiscard]] std::int64_t share_of(const LoopNest& nest, int threads);

/// The root as make_source() runs it. Nothing when its iterations differ by more than a move: a
/// guard depends on the root, an array is moved in two ways, or backwards.
[[nodiscard]] std::optional<OuterLoop> uniform_loop(const LoopNest& nest, int line_bytes,
                                                    int threads);

}  // namespace ridge::cachesim
