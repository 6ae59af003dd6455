// The counters of a run, once its times are stored: none of them comes from a run with counters on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/ridge/count_rows.hpp"
#include "apps/ridge/counter_choice.hpp"
#include "ridge/run_store.hpp"

namespace ridge::app {

/// Counters of an interrupted run, one entry per kernel of the step; empty where there are none.
[[nodiscard]] std::vector<Counters> counters_so_far(const RunStore& store, std::int64_t run,
                                                    const TrainingStep& step);

struct RunCounting {
    CounterChoice choice;
    CountingTask task;              ///< its rows, caches, state and budget
    std::size_t flush_bytes = 0;    ///< what replaces all that the caches hold
    std::vector<Measurement> rows;  ///< one per kernel, with its time; stored with their counters
};

/// Counts what `counters` has not yet and stores it row by row. False when it was interrupted.
bool count_run(const RunCounting& counting, RunStore& store, std::int64_t run,
               std::vector<Counters>& counters);

}  // namespace ridge::app
