// What a count can be. A number beyond it is refused with the reason, never cut to fit: it says
// that the counter is wrong, not where the truth lies.
#pragma once

#include <cstdint>
#include <string>

#include "ridge/counters.hpp"

namespace ridge::papi {

/// after - before of a counter of `bits` that starts again at 0. With 64 bits the difference may
/// be negative, which only a faulty counter gives.
[[nodiscard]] double counter_difference(double before, double after, int bits);

/// Share of the time below which a multiplexed count is refused: what is not seen is extrapolated.
inline constexpr double least_coverage = 0.2;

struct ScaledCount {
    double value = 0;
    double coverage = 1;
    std::string refused;  ///< empty: usable
};
/// value x enabled / running. Times of 0 mean that the back end does not tell: nothing to scale.
[[nodiscard]] ScaledCount scale_to_full_time(double value, double enabled_s, double running_s);

/// What the kernel shares counters by where events do not fit: its default for x86
/// (perf_event_mux_interval_ms).
inline constexpr double multiplexing_period_s = 4e-3;
/// Share of the time above which a counter was not shared with others.
inline constexpr double whole_time = 0.99;
/// A region shorter than one period of the kernel's multiplexing may never see its event on a
/// counter. Empty when long enough, else what to do.
[[nodiscard]] std::string multiplexed_too_short(double region_s, double period_s);

/// Each empty when the number is possible.
[[nodiscard]] std::string impossible_count(double value);
[[nodiscard]] std::string impossible_instructions(double instructions, double cycles,
                                                  double most_per_cycle);
/// `value` per cycle above what the units of a core can do.
[[nodiscard]] std::string impossible_rate(double value, double cycles, double most_per_cycle);
/// More than `elapsed` x 4 x the peak bandwidth; the factor leaves room for a peak that is guessed.
[[nodiscard]] std::string impossible_bytes(double bytes, double elapsed_s, double peak_bytes_per_s);
/// Fewer bytes than a pass must move at least: bytes derived without the width of the accesses.
[[nodiscard]] std::string fewer_than_least(double counted_bytes, double least_bytes);

/// Less than ten times what starting and reading the counters itself costs.
[[nodiscard]] bool hidden_by_overhead(double counted, double overhead);

}  // namespace ridge::papi
