// Legacy SSE instructions after wide vectors: on some cores each such change costs hundreds of
// cycles, and a kernel full of them is bound by neither memory nor compute.
#pragma once

#include <optional>
#include <string_view>

#include "model/roofline/demand.hpp"
#include "ridge/machine.hpp"
#include "ridge/roofline.hpp"

namespace ridge {

/// Name of the term.
inline constexpr std::string_view transitions_resource = "SSE/AVX transitions";

/// Cost of one round trip: the machine file's, else a documented constant where the processor is of
/// a kind that it was measured on. Nothing when it is not known.
[[nodiscard]] std::optional<Figure> transition_cost(const Machine& machine);

/// Nothing when transitions were not counted, did not occur, or have no known cost. The useful work
/// needs none of them, so the term's least time is 0. Threads share them equally.
[[nodiscard]] std::optional<Term> transitions_term(const Demand& demand, const Roofline& roofline);

}  // namespace ridge
