// The ways to simulate a stream, one file each; simulate() picks by SimulateOptions::method.
#pragma once

#include "ridge/cachesim.hpp"

namespace ridge::cachesim {

/// Brings the caches into the state that the protocol asks for, uncounted. Works on any sink, so
/// that every mode prepares in the same way.
void prepare(RunSource& source, RunSink& sink, CacheState protocol, const HierarchySpec& spec);

[[nodiscard]] Traffic simulate_exact(RunSource& source, const HierarchySpec& spec,
                                     const SimulateOptions& options);
[[nodiscard]] Traffic simulate_sampled(RunSource& source, const HierarchySpec& spec,
                                       const SimulateOptions& options);
[[nodiscard]] Traffic simulate_periodic(RunSource& source, const HierarchySpec& spec,
                                        const SimulateOptions& options);

/// The periodic mode of a stream that knows its outer loop, in a time that does not depend on how
/// often that goes round; nothing when it has no such loop or too few iterations.
[[nodiscard]] std::optional<Traffic> simulate_loop(RunSource& source, const HierarchySpec& spec,
                                                   const SimulateOptions& options);

}  // namespace ridge::cachesim
