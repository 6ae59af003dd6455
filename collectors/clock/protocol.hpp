// The constants of the measuring protocol, in one place. Why each is what it is stands in
// docs/model.md, "Measuring"; none is tuned to one machine.
#pragma once

#include <cstddef>
#include <string>

#include "ridge/measurement.hpp"

namespace ridge::clock {

struct Protocol {
    // A visit of a row (warm, cold).
    double visit_s = 6e-3;         ///< samples of one visit take so long together...
    int samples_at_least = 2;      ///< ...but this many are taken
    int samples_at_most = 10;      ///< and no more
    double batch_below_s = 60e-6;  ///< shorter executions are repeated within a sample...
    double batch_to_s = 80e-6;     ///< ...until it takes so long (warm only)
    double unmeasured_s = 1e-3;    ///< executions before the samples: as many as fit in here,
    int unmeasured_at_most = 3;    ///< 1 to 3
    double rewarm_below_s = 5e-3;  ///< after a wait, rows this short are executed once more

    // Waiting for two quiet probes in a row before a sample.
    double wait_s = 0.15;
    double wait_share_at_most = 0.5;  ///< of the time spent: some machines are never quiet

    double clock_steady = 0.99;  ///< a clock that changes more during a sample leaves its time open

    // A row is settled when enough quiet samples from several visits lie close to the smallest.
    double settled_within = 0.012;
    std::size_t settled_cluster = 4;  ///< quiet samples within settled_within of the smallest
    std::size_t settled_quiet = 6;    ///< quiet samples in all
    int settled_visits = 3;           ///< visits in the cluster

    // Contention for L3 and DRAM, which no probe sees, comes in bursts of up to a second.
    double spread_s = 5;  ///< no row is done earlier: it has samples from before and after a burst

    // Estimate.
    std::size_t quiet_needed = 4;     ///< below this a row is an upper bound
    std::size_t estimate_rank = 2;    ///< third smallest quiet sample, counted from 0...
    double estimate_quantile = 0.05;  ///< ...or this quantile, whichever ranks higher

    int step_repetitions = 20;     ///< of the whole step (in_step), and more...
    double step_interval = 0.015;  ///< ...until the half-width of its interval is this share
};

/// One line for RunInfo::protocol.
[[nodiscard]] std::string describe(const Protocol& protocol, CacheState state);

}  // namespace ridge::clock
