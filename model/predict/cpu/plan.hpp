// Which layers a calibration measures: few, and as different from each other as they can be.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge::cpu {

struct Candidate {
    Layer layer;
    double cost_s = 0;          ///< of measuring it, a guess
    std::vector<double> place;  ///< coordinates in which layers differ, each of about unit size
    std::string kind;           ///< kernel class of its forward pass
};

/// Coordinates: log of work, of footprint, of their ratio and of the channels.
[[nodiscard]] Candidate candidate_of(const Layer& layer, double cost_s);

/// Greedy: each kind once, the cheapest of it first; then always the candidate that is farthest
/// from all chosen ones (Gonzalez, Theor. Comput. Sci. 38 (1985)), as long as the cost stays within
/// the budget. Indices in the order of choice; the same for the same candidates.
[[nodiscard]] std::vector<std::size_t> choose_spread_out(std::span<const Candidate> candidates,
                                                         double budget_s);

}  // namespace ridge::cpu
