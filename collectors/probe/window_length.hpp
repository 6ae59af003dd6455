// How often a short piece of work must be repeated to fill a window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collectors/probe/team.hpp"

namespace ridge::probe {

/// Repetitions of `body(n)` that last about `target_s` on the undisturbed machine: n grows until
/// `body` takes a tenth of that, and the quickest of three runs is scaled up. A disturbance only
/// makes windows shorter than asked for.
template <class Body>
std::int64_t repetitions_for(double target_s, Body&& body) {
    const auto timed = [&](std::int64_t n) {
        const double begin = now_s();
        body(n);
        return now_s() - begin;
    };
    std::int64_t n = 1;
    double took = timed(n);
    while (took < 0.1 * target_s && n < (std::int64_t{1} << 40)) took = timed(n *= 2);
    for (int i = 0; i < 2; ++i) took = std::min(took, timed(n));
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(n) * target_s / took));
}

}  // namespace ridge::probe
