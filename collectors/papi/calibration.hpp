// What a counter shows of work that is known: the error has a name, and so has the cure.
#pragma once

#include <string>

#include "ridge/counters.hpp"

namespace ridge::papi {

enum class CalibrationFault {
    none,
    dead,          ///< 0 of known work
    half,          ///< operations / 2
    twice,         ///< operations x 2
    instructions,  ///< instructions, not operations
    unreliable,    ///< no factor that has a name
};

struct CalibrationVerdict {
    CalibrationFault fault = CalibrationFault::none;
    double ratio = 1;  ///< counted / known
    std::string text;  ///< one line; empty when the counter is right
    /// What a count must be multiplied with, where one factor holds for all work; else 1.
    double correction = 1;
};

/// FLOP counts follow from the program exactly; 2 % leave room for what the measurement itself
/// executes.
inline constexpr double flop_tolerance = 0.02;
/// Bytes do not: prefetches, page walks and neighbours add, lines that stay in a cache are missing.
inline constexpr double least_dram_ratio = 0.8, most_dram_ratio = 1.6;

[[nodiscard]] CalibrationVerdict judge_flops(double counted, const KnownWork& work);
[[nodiscard]] CalibrationVerdict judge_bytes(double counted, const KnownWork& work);

/// The verdict on a quantity after two kinds of work: half of one and right on the other has no
/// factor that could be corrected.
[[nodiscard]] CalibrationVerdict worse_of(const CalibrationVerdict& a, const CalibrationVerdict& b);

/// Bytes from which a stream comes from memory: four times all last-level caches, 1 GiB at least
/// where they are large.
[[nodiscard]] double least_stream_bytes(double all_last_level_bytes);

}  // namespace ridge::papi
