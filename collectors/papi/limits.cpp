#include "collectors/papi/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::papi {

double counter_difference(double before, double after, int bits) {
    const double difference = after - before;
    if (difference >= 0 || bits >= 64) return difference;
    return difference + std::ldexp(1.0, bits);
}

ScaledCount scale_to_full_time(double value, double enabled_s, double running_s) {
    if (enabled_s <= 0) return {value, 1, {}};
    if (running_s <= 0)
        return {0, 0, "not counted: the event never got a counter (0 % of the time)"};
    const double coverage = std::min(running_s / enabled_s, 1.0);
    ScaledCount scaled{value / coverage, coverage, {}};
    if (coverage < least_coverage)
        scaled.refused =
            fmt::format("counted during {:.0f} % of the time only, {:.0f} % are needed",
                        100 * coverage, 100 * least_coverage);
    return scaled;
}

std::string multiplexed_too_short(double region_s, double period_s) {
    if (region_s >= period_s) return {};
    return fmt::format(
        "measure in passes: {:.0f} us are less than one multiplexing period of {:.0f} us",
        region_s * 1e6, period_s * 1e6);
}

std::string impossible_count(double value) {
    if (!std::isfinite(value)) return "invalid count: not a finite number";
    if (value < 0) return fmt::format("invalid count: negative ({:.0f})", value);
    return {};
}

std::string impossible_instructions(double instructions, double cycles, double most_per_cycle) {
    if (cycles <= 0)
        return instructions > 0 ? "invalid count: instructions without a single cycle" : "";
    const double ipc = instructions / cycles;
    if (ipc <= most_per_cycle) return {};
    return fmt::format("invalid count: IPC {:.1f}, a core retires at most {:.0f}", ipc,
                       most_per_cycle);
}

std::string impossible_rate(double value, double cycles, double most_per_cycle) {
    if (most_per_cycle <= 0 || cycles <= 0 || value <= most_per_cycle * cycles) return {};
    return fmt::format("invalid count: {:.1f} per cycle, a core can do {:.0f}", value / cycles,
                       most_per_cycle);
}

std::string impossible_bytes(double bytes, double elapsed_s, double peak_bytes_per_s) {
    if (bytes <= elapsed_s * 4 * peak_bytes_per_s) return {};
    return fmt::format("invalid count: {:.3g} bytes in {:.3g} s is beyond 4 times {:.3g} bytes/s",
                       bytes, elapsed_s, peak_bytes_per_s);
}

std::string fewer_than_least(double counted_bytes, double least_bytes) {
    if (counted_bytes >= least_bytes) return {};
    return fmt::format("invalid count: {:.0f} bytes, {:.1f} times fewer than must move",
                       counted_bytes, least_bytes / std::max(counted_bytes, 1.0));
}

bool hidden_by_overhead(double counted, double overhead) {
    return overhead > 0 && counted <= 10 * overhead;
}

}  // namespace ridge::papi
