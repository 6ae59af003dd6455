// The job behind `ridge collect`, shared by the verbs that measure when asked for a result that is
// not in the store yet (report, compare).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/ridge/counter_choice.hpp"
#include "ridge/kernel.hpp"
#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"

namespace ridge::app {

struct CollectOptions {
    std::string network;            ///< name, YAML path, or a layer line
    std::int64_t batch = 1;         ///< ignored for a layer line, which has its own mb
    std::vector<std::string> dims;  ///< "name=value" of an ONNX model
    int threads = 0;                ///< 0: one per core of this machine
    std::vector<Pass> passes;       ///< empty: all that training runs
    DataType dtype = DataType::f32;
    std::optional<CacheState> state;  ///< default: in_step for a network, warm for a layer
    std::string library = "onednn";   ///< onednn or openblas
    std::string store;                ///< empty: RunStore::default_path()
    std::string machine = "local";    ///< name or path; "local" is probed quickly when absent
    std::optional<double> budget_s;   ///< measuring stops then at the latest; see usual_budget()
    std::string counters = "auto";    ///< the word of --counters
    CounterChoice chosen_counters;    ///< what it means here (CounterChooser); default: none
    bool resume = false;              ///< continue the newest matching run that was interrupted
    bool quiet = false;               ///< no progress bar
};

/// Threads that `threads = 0` means: one per usable core.
[[nodiscard]] int usable_thread_count();

/// The step of a stored run, built once more to be traced. Throws Error bad_input when its network
/// is not here.
[[nodiscard]] TrainingStep rebuild_step(const RunInfo& info);

/// Measures and stores; returns the id of the complete run. Throws ridge::Error.
std::int64_t collect(const CollectOptions& options);

}  // namespace ridge::app
