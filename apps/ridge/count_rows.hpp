// Counters of the rows of a step without hardware: kernels are traced, and their streams go through
// the caches of a machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridge/cachesim.hpp"
#include "ridge/kernel.hpp"
#include "ridge/reading.hpp"

namespace ridge::app {

using Counters = std::map<std::string, Reading>;

struct CountingTask {
    const TrainingStep* step = nullptr;
    std::vector<bool> wanted;
    std::optional<HierarchySpec> caches;
    std::string no_caches;  ///< why `caches` is empty
    CacheState state = CacheState::warm;
    int threads = 1;
    Seconds budget;  ///< for all rows; see docs/model.md, "Counters of a run"
    bool quiet = false;
};

/// Keeps what was counted, row by row.
class CounterSink {
public:
    virtual ~CounterSink() = default;
    virtual void add_counters(std::size_t row, const Counters& counters) = 0;
    virtual bool stop_requested() = 0;
};

struct CountingResult {
    bool finished = false;  ///< false: interrupted
    int traced = 0;         ///< distinct kernels that were emulated
    Seconds time;
};

/// Counts every wanted row that `counters` (one entry per row) has nothing of yet. Rows that do the
/// same (problem, pass, implementation, formats) are traced once. Precondition: the code of the
/// step was announced (announce_generated_code) before it was built.
CountingResult count_rows(const CountingTask& task, std::vector<Counters>& counters,
                          CounterSink& sink);

}  // namespace ridge::app
