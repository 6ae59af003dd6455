// Bytes per level of the rows of a run by the memory simulator.
#pragma once

#include "ridge/machine.hpp"
#include "ridge/roofline.hpp"

namespace ridge::app {

/// Fills RowAnalysis::simulated: with the bytes that the run stored of its traced kernels where it
/// has them, else by simulating the loops of a plain implementation on the caches of the machine,
/// with the threads and the cache state of the run; reorders and parameter updates without stored
/// bytes stay without. Equal passes of equal layers are simulated once. Throws Error bad_input when
/// the machine's caches cannot be simulated.
void simulate_rows(RunAnalysis& run, const Machine& machine);

}  // namespace ridge::app
