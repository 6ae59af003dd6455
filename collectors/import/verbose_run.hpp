// From a log to a run of the store: executions joined into the rows of layers, warm-up set aside,
// reorders assigned to who needs them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/import/imported_run.hpp"
#include "collectors/import/verbose_log.hpp"
#include "ridge/measurement.hpp"

namespace ridge::import {

struct VerboseRunOptions {
    std::string name;         ///< of the network; usually the file's
    std::string machine;      ///< whose ceilings the run is held against; may be unknown
    int threads = 0;          ///< 0: as the log says
    int machine_threads = 0;  ///< when the log does not say either; 0: one
    std::string imported_at, command, ridge_version;
};

/// What became of the executions of one row.
/// The samples are those behind the warm-up, at most 64 of them.
struct VerboseRow : ImportedRow {
    std::int64_t executions = 0;  ///< timed ones that belong to the row, warm-up included
    std::int64_t warm_up = 0;     ///< of them set aside
    double total_ms = 0;          ///< of all of them
    bool reference = false;
};

struct VerboseRun {
    RunInfo info;
    std::vector<VerboseRow> rows;
    std::int64_t steps = 0;           ///< repetitions of the step; 0: nothing repeats
    std::size_t step_executions = 0;  ///< executions in one
    std::size_t warm_up_steps = 0;
    std::int64_t outside = 0;  ///< timed executions that are in no row
    double outside_ms = 0;
    std::vector<std::string> notes;  ///< one line each: what to know before trusting it
};

/// Throws Error bad_input, naming `file`, when no execution has a time.
[[nodiscard]] VerboseRun make_run(const VerboseLog& log, const VerboseRunOptions& options,
                                  const std::string& file);

/// The document that RunStore::import_run takes.
[[nodiscard]] std::string run_document(const VerboseRun& run);

}  // namespace ridge::import
