// Where a series of times becomes steady, and the steps that a log repeats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::import {

/// How many of the first times are warm-up (creation, first touches, a search for the best
/// algorithm): each one that is above 1.15 times the median of all from it on, at most half of
/// them.
[[nodiscard]] std::size_t warm_up_of(std::span<const double> times);

[[nodiscard]] double median_of(std::vector<double> values);

/// The part of a sequence that repeats.
struct Repetition {
    std::vector<std::size_t> starts;  ///< of each whole repetition; empty: nothing repeats
    std::size_t length = 0;
};
/// Finds the step of a training or inference loop in the sequence of what was executed. What
/// happens once (the first reorders, an evaluation) may lie between repetitions, but at least 80 %
/// of the sequence must repeat.
[[nodiscard]] Repetition find_repetition(std::span<const std::uint32_t> sequence);

}  // namespace ridge::import
