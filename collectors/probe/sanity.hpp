// Does each figure of a probe agree with the others?
#pragma once

#include <string>
#include <vector>

#include "ridge/machine.hpp"

namespace ridge::probe {

struct Suspicion {
    std::string figure;  ///< by its name (names.hpp)
    std::string what;
};

/// Checks every ceiling against its datasheet value, against its neighbours (wider and narrower
/// instructions, more and fewer threads, nearer and farther levels, copies and what they are made
/// of) and its own windows. Disturbance lowers rates and raises times, so of two figures that
/// contradict each other the one that could be disturbed is suspected. Its note says so.
[[nodiscard]] std::vector<Suspicion> check_figures(Machine& machine);

}  // namespace ridge::probe
