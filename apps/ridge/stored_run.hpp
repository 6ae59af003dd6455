// The verbs that show a run share how it is named, found and held against a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/ridge/command_line.hpp"
#include "ridge/machine.hpp"
#include "ridge/roofline.hpp"
#include "ridge/run_store.hpp"

namespace ridge::app {

struct StoredRunOptions {
    std::string target;                ///< run number, network, layer line or layer; may be empty
    std::optional<std::int64_t> run;   ///< --run
    std::string store;                 ///< --store; empty: RunStore::default_path()
    std::string machine;               ///< --machine; empty: the one the run was measured on
    std::vector<std::string> what_if;  ///< --set
};

/// Adds --run, --store, --machine and --set.
void add_stored_run_options(Verb& verb, StoredRunOptions& options);

/// Opens the store for reading what is there. Throws Error bad_input, with the command that makes
/// one, when there is none; never creates it.
[[nodiscard]] RunStore open_store(const std::string& path);

/// The machine of --machine, or the file of the machine that the run was measured on, with --set
/// applied. Throws Error bad_input when that file is not here.
[[nodiscard]] Machine machine_of(const RunInfo& info, const StoredRunOptions& options);

struct StoredRun {
    Run run;
    Machine machine;
    RunAnalysis analysis;
    std::string layer;  ///< only this layer was asked for; empty: all
};
[[nodiscard]] StoredRun load_stored_run(const StoredRunOptions& options);

}  // namespace ridge::app
