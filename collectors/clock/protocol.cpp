#include "collectors/clock/protocol.hpp"

#include <fmt/format.h>

namespace ridge::clock {
namespace {

std::string how_rows_are_visited(const Protocol& p, CacheState state) {
    switch (state) {
        case CacheState::warm:
            return fmt::format(
                "rounds over the rows; a visit is 1 to {} unmeasured executions and {} to {} "
                "samples, executions below {:.0f} us batched to {:.0f} us",
                p.unmeasured_at_most, p.samples_at_least, p.samples_at_most, p.batch_below_s * 1e6,
                p.batch_to_s * 1e6);
        case CacheState::cold:
            return fmt::format(
                "rounds over the rows; a visit is {} samples of one execution, "
                "caches flushed before each",
                p.samples_at_least);
        case CacheState::in_step:
            break;
    }
    return fmt::format(
        "whole steps in order, one sample per row and step; the step as a whole "
        "between them, {} times or more",
        p.step_repetitions);
}

}  // namespace

std::string describe(const Protocol& p, CacheState state) {
    return fmt::format(
        "{}; each sample between two probes of clock, issue width and FMA, times normalised to the "
        "quiet clock; settled: {} of {} quiet samples within {:.1f} % of the smallest, from {} "
        "visits; estimate: third smallest quiet sample or {:.0f} % quantile",
        how_rows_are_visited(p, state), p.settled_cluster, p.settled_quiet, p.settled_within * 100,
        p.settled_visits, p.estimate_quantile * 100);
}

}  // namespace ridge::clock
