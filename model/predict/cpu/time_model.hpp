// From terms to a time:
//
//   T = e x [ max over execution resources (c_r t_r)  +  sum over the others (c_r t_r)
//             + m x sum over memory (c_r t_r) ]
//
// with e and m of the kernel class and constants c near 1 where the machine file's figure is all
// there is to know. docs/model.md, "Prediction on a processor", has the reasons and what else was
// tried.
#pragma once

#include <array>
#include <map>
#include <string>

#include "model/predict/cpu/terms.hpp"

namespace ridge::cpu {

/// Which overlap of the terms a model assumes; `hard_core` is the one that is used.
enum class Overlap { hard_core, all_maximum, all_sum };

struct Constants {
    /// Factor on each term; seconds for a call.
    std::array<double, resources> factor{};
    double capacity = 1;   ///< of the last cache that a pass really finds, over the file's
    double steepness = 2;  ///< how fast a footprint beyond it is missed, see missing_share()

    [[nodiscard]] double& of(Resource r) { return factor[static_cast<std::size_t>(r)]; }
    [[nodiscard]] double of(Resource r) const { return factor[static_cast<std::size_t>(r)]; }
};

/// Without any fit: execution resources at their ceilings, memory levels at their bandwidths and
/// fully overlapped (use with Overlap::all_maximum).
[[nodiscard]] Constants machine_file_constants();

/// Contribution of every term; `memory` is the class's factor on what comes from memory and goes
/// there. They add up to the time but for the class's efficiency. The execution resource that is
/// longest has all of the core's time, the others none.
[[nodiscard]] TermTimes contributions(const Terms& terms, const Constants& constants,
                                      Overlap overlap = Overlap::hard_core, double memory = 1);
[[nodiscard]] double time_of(const Terms& terms, const Constants& constants,
                             Overlap overlap = Overlap::hard_core, double memory = 1);

}  // namespace ridge::cpu
