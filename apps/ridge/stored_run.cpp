#include "apps/ridge/stored_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/ridge/simulated_again.hpp"
#include "core/files.hpp"
#include "model/explain/selection.hpp"
#include "ridge/error.hpp"
#include "ridge/kept_caches.hpp"

namespace ridge::app {

void add_stored_run_options(Verb& verb, StoredRunOptions& options) {
    verb.add_option("--run", options.run, "Number of a stored run ('ridge runs list')");
    verb.add_option("--store", options.store, "Run store (default: that of this user)");
    verb.add_option("--machine", options.machine,
                    "Machine file or name whose ceilings to use (default: the run's)");
    verb.add_option("--set", options.what_if,
                    "What if: KEY=VALUE or KEY=2x on the machine, as dram.bandwidth=2x; repeatable")
        ->allow_extra_args(false);
}

RunStore open_store(const std::string& path) {
    return RunStore(path.empty() ? RunStore::default_path() : path, StoreAccess::read);
}

Machine machine_of(const RunInfo& info, const StoredRunOptions& options) {
    const auto load = [&]() -> Machine {
        if (!options.machine.empty()) return load_machine(options.machine);
        if (file_exists(local_machine_path())) {
            Machine local = load_machine("local");
            if (local.name == info.machine) return local;
        }
        const auto shipped = shipped_machines();
        if (std::any_of(shipped.begin(), shipped.end(),
                        [&](const MachineEntry& entry) { return entry.name == info.machine; }))
            return load_machine(info.machine);
        throw bad_input(fmt::format("machine '{}' of run {}", info.machine, info.id),
                        "its machine file on this machine, or --machine FILE", "neither");
    };
    Machine machine = load();
    for (const auto& assignment : options.what_if) apply_what_if(machine, assignment);
    return machine;
}

namespace {

/// Bytes that crossed other caches than those of `machine` say nothing about it: the same streams
/// are simulated with these, or the bytes are set aside.
void fit_bytes(Run& run, const Machine& machine) {
    if (run.info.simulated_caches.empty()) return;
    std::string reason;
    try {
        const HierarchySpec caches = hierarchy_of(machine, run.info.threads);
        if (describe_caches(caches) == run.info.simulated_caches) return;
        reason = simulate_again(run, caches);
        if (reason.empty()) return;
    } catch (const Error& error) {
        reason = error.what();
    }
    for (Measurement& row : run.rows)
        for (auto& [name, reading] : row.counters)
            if (name.ends_with("_bytes") && reading.available())
                reading = Reading::unavailable(
                    fmt::format("simulated with other caches ({}) and not with these: {}",
                                run.info.simulated_caches, reason));
}

}  // namespace

StoredRun load_stored_run(const StoredRunOptions& options) {
    const RunStore store = open_store(options.store);
    const auto has_layer = [&store](const RunInfo& info, const std::string& layer) {
        const Run run = store.load_run(info.id);
        return std::any_of(run.rows.begin(), run.rows.end(),
                           [&](const Measurement& row) { return row.key.layer == layer; });
    };
    const Answer answer = find_run({options.target, options.run}, store.list_runs(), has_layer);
    StoredRun result;
    result.run = store.load_run(answer.run);
    result.machine = machine_of(result.run.info, options);
    fit_bytes(result.run, result.machine);
    result.analysis = analyse(result.run, result.machine);
    result.layer = answer.layer;
    return result;
}

}  // namespace ridge::app
