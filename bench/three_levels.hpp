// The caches that the benchmarks of the tracer simulate.
#pragma once

#include "ridge/cachesim.hpp"

namespace ridge {

inline HierarchySpec three_levels() {
    HierarchySpec spec;
    spec.levels = {{.name = "L1", .capacity_bytes = 48 << 10, .ways = 12},
                   {.name = "L2", .capacity_bytes = 2 << 20, .ways = 16},
                   {.name = "L3", .capacity_bytes = 32 << 20, .ways = 16}};
    return spec;
}

}  // namespace ridge
