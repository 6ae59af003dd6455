// Bytes per level of the rows of a run by the memory simulator.
#pragma once

#include "ridge/machine.hpp"
#include "ridge/roofline.hpp"

namespace ridge::app {

/// Simulates the loops of every layer pass on the caches of the machine, with the threads and the
/// cache state of the run, and fills RowAnalysis::simulated; reorders and parameter updates stay
/// without. Equal passes of equal layers are simulated once. Throws Error bad_input when the
/// machine's caches cannot be simulated.
void simulate_rows(RunAnalysis& run, const Machine& machine);

}  // namespace ridge::app
