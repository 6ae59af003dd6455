// The verbs of `ridge`. Each cmd_<verb>.cpp declares its options on a subcommand and sets the
// action that main() runs once the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <functional>
#include <string>

#include "ridge/error.hpp"

namespace ridge::app {

/// What the chosen verb does; returns the exit code or throws ridge::Error.
using Action = std::function<ExitCode()>;

/// For CLI::Option::check: a whole number in the range. CLI11 itself takes 99999999999999999999 as
/// the highest number there is and -1 as the highest unsigned one.
inline std::function<std::string(const std::string&)> whole_number(std::int64_t least,
                                                                   std::int64_t most) {
    return [least, most](const std::string& text) -> std::string {
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc{} && rest == end && value >= least && value <= most) return {};
        return "expected a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", found '" + text + "'";
    };
}

void add_machine(CLI::App& app, Action& action);
/// `ridge machine probe`, a subcommand of the verb `machine`.
void add_machine_probe(CLI::App& machine, Action& action);
/// `ridge machine counters`, likewise.
void add_machine_counters(CLI::App& machine, Action& action);
void add_network(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_collect(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
/// `ridge import perf`, papi, likwid, nsight: subcommands of the verb `import`.
void add_import_counters(CLI::App& import_verb, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_runs(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_trace(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);

}  // namespace ridge::app
