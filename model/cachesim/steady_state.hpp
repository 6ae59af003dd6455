// When a periodic stream has reached a state from which every further period costs the same.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "model/cachesim/hierarchy.hpp"
#include "model/cachesim/period_finder.hpp"
#include "model/cachesim/result.hpp"

namespace ridge::cachesim {

/// What a further period costs, and how sure that is.
struct Steady {
    Traffic per_period;
    bool exact = false;      ///< the caches hold the same lines as before, moved on
    double deviation = 0;    ///< largest relative difference seen otherwise
    std::size_t window = 1;  ///< periods averaged
};

/// Adds to what was simulated what `periods` more cost, with the bounds that follow. `period` says
/// what one is: "96 runs".
void add_skipped(Traffic& out, const Steady& steady, double periods, std::string_view period);

/// Watches a hierarchy at the end of every period.
///
/// Exact: the state (lines minus what their tensor moved, dirtiness, place in the set) equals the
/// one p periods earlier, p chosen so that all tensors move by the same number of sets. Otherwise:
/// every level has been filled 1.5 times or takes in nothing any more, and the means of two
/// successive windows agree within the tolerance at every level.
class SteadyState {
public:
    SteadyState(const Hierarchy& hierarchy, const HierarchySpec& spec, const TraceInfo& info,
                const RegionMap& map, const Period& period, double tolerance);

    void period_ended();
    [[nodiscard]] std::optional<Steady> verdict();
    /// Periods after which the tensors stand in the same relation to the sets; 0 when never.
    [[nodiscard]] std::size_t alignment() const { return alignment_; }

private:
    [[nodiscard]] std::size_t find_alignment() const;
    [[nodiscard]] std::uint64_t state_hash() const;
    [[nodiscard]] bool filled() const;
    [[nodiscard]] Traffic mean(std::size_t newest, std::size_t oldest) const;
    [[nodiscard]] std::optional<Steady> exact_verdict();
    [[nodiscard]] std::optional<Steady> tolerant_verdict() const;

    const Hierarchy& hierarchy_;
    const HierarchySpec& spec_;
    const TraceInfo& info_;
    const RegionMap& map_;
    const Period& period_;
    double tolerance_;
    std::size_t alignment_;
    std::size_t window_;
    std::size_t periods_ = 0;
    std::deque<Traffic> snapshots_;  ///< cumulative, one per period end, newest last
    std::vector<std::vector<std::uint64_t>> insertions_;  ///< [level + 1] at each snapshot
    std::optional<std::uint64_t> earlier_hash_;
    std::size_t earlier_period_ = 0;
};

}  // namespace ridge::cachesim
