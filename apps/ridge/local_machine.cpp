#include "apps/ridge/local_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"
#include "ridge/progress.hpp"

namespace ridge::app {
namespace {

/// Quiet levels of the file that is to be replaced. A file of another processor, or one that cannot
/// be read, has nothing to keep.
std::optional<QuietLevels> levels_before(const std::string& path, const std::string& cpu_model) {
    if (!file_exists(path)) return std::nullopt;
    try {
        const Machine before = load_machine(path);
        if (before.cpu_model == cpu_model) return before.quiet;
        fmt::print(stderr, "ridge: {} is of another processor ({}): its quiet levels are dropped\n",
                   path, before.cpu_model);
    } catch (const Error& error) {
        fmt::print(stderr, "ridge: quiet levels of the old file are lost: {}\n", error.what());
    }
    return std::nullopt;
}

QuietLevels higher(const QuietLevels& a, const QuietLevels& b) {
    return {.fma = std::max(a.fma, b.fma),
            .issue = std::max(a.issue, b.issue),
            .windows = std::max(a.windows, b.windows),
            .provisional = a.provisional && b.provisional,
            .clock = std::max(a.clock, b.clock)};
}

/// Levels of all that is known of this machine by now. Without a writable history the machine file
/// alone carries them.
QuietLevels levels_by_now(const clock::QuietHistory& seen) {
    try {
        return clock::QuietTracker(clock::merge_quiet_history(clock::quiet_history_path(), seen))
            .levels();
    } catch (const Error& error) {
        fmt::print(stderr, "ridge: the history of quiet levels is left as it is: {}\n",
                   error.what());
        return clock::QuietTracker(seen).levels();
    }
}

}  // namespace

probe::ProbeResult probe_to_file(const probe::ProbeOptions& options, const std::string& path,
                                 const std::string& what, bool show_progress) {
    if (path == local_machine_path()) (void)data_directory(true);
    require_writable(path);
    install_interrupt_handler();
    const double usual_s = probe::usual_s(options);
    Progress progress(what, usual_s, !show_progress);
    probe::ProbeHooks hooks;
    hooks.interrupted = [] { return interrupted(); };
    hooks.progress = [&](double elapsed_s, const std::string& item) {
        progress.update(std::min(elapsed_s, usual_s), item);
    };
    probe::ProbeResult result = probe_machine(options, hooks);
    progress.finish();

    QuietLevels levels = levels_by_now(result.quiet);
    if (const auto before = levels_before(path, result.machine.cpu_model))
        levels = higher(levels, *before);
    result.machine.quiet = levels;
    save_machine(result.machine, path);
    return result;
}

void print_remarks(const probe::ProbeResult& result) {
    for (const auto& line : result.not_measured)
        fmt::print(stderr, "ridge: not measured: {}\n", line);
    for (const auto& line : result.suspicious) fmt::print(stderr, "ridge: suspicious: {}\n", line);
    for (const auto& line : lint(result.machine)) fmt::print(stderr, "ridge: odd: {}\n", line);
    if (result.machine.quiet && result.machine.quiet->provisional)
        fmt::print(stderr,
                   "ridge: the quiet levels are provisional: no {} windows agreed; probe again\n",
                   clock::windows_to_confirm);
}

Machine machine_or_probe(const std::string& name_or_path) {
    if (name_or_path != "local" || file_exists(local_machine_path()))
        return load_machine(name_or_path);
    fmt::print(stderr,
               "ridge: this machine was not probed yet: a quick probe, 20 s (a full one: "
               "ridge machine probe)\n");
    const auto result =
        probe_to_file({.quick = true, .threads = 0}, local_machine_path(), "quick probe");
    print_remarks(result);
    return load_machine("local");
}

}  // namespace ridge::app
