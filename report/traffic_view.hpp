// A simulated or analytic Traffic for people and for programs.
#pragma once

#include "core/json.hpp"
#include "report/table.hpp"
#include "ridge/cachesim.hpp"
#include "ridge/traffic.hpp"

namespace ridge::report {

/// One row per level: accesses, misses, bytes with the next level and their bounds, what is dirty.
/// An access counts once in each line that it touches, a modify is a load and a store.
[[nodiscard]] Table traffic_table(const Traffic& traffic);
/// One row per tensor, read and written bytes per level; no rows when no tensors are known.
[[nodiscard]] Table tensor_table(const Traffic& traffic);
/// "exact, cold, copy:bytes=1MiB on MACHINE, 1 thread: 32.8 k touches", notes and bounds.
[[nodiscard]] std::string traffic_summary(const Traffic& traffic);
/// Units in the keys; every number carries its source, "simulated" or "algorithmic".
[[nodiscard]] Json to_json(const Traffic& traffic);
/// The curve with the levels of the machine at their capacities.
[[nodiscard]] Table curve_table(const std::vector<MissRatioPoint>& curve,
                                const HierarchySpec& spec);
[[nodiscard]] Json to_json(const std::vector<MissRatioPoint>& curve, const HierarchySpec& spec);

}  // namespace ridge::report
