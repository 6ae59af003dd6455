// The verbs of `ridge`. Each cmd_<verb>.cpp declares its options on a subcommand and sets the
// action that main() runs once the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

#include "ridge/error.hpp"

namespace ridge::app {

/// What the chosen verb does; returns the exit code or throws ridge::Error.
using Action = std::function<ExitCode()>;

void add_machine(CLI::App& app, Action& action);
/// `ridge machine probe`, a subcommand of the verb `machine`.
void add_machine_probe(CLI::App& machine, Action& action);
void add_network(CLI::App& app, Action& action);
void add_collect(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_runs(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);

}  // namespace ridge::app
