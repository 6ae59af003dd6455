// The verbs of `ridge`. Each cmd_<verb>.cpp declares its options on a subcommand and sets the
// action that main() runs once the command line is parsed.
#pragma once

#include <functional>

#include "apps/ridge/command_line.hpp"
#include "ridge/error.hpp"

namespace ridge::app {

/// What the chosen verb does; returns the exit code or throws ridge::Error.
using Action = std::function<ExitCode()>;

void add_machine(Verb& app, Action& action);
/// `ridge machine probe`, a subcommand of the verb `machine`.
void add_machine_probe(Verb& machine, Action& action);
/// `ridge machine counters`, likewise.
void add_machine_counters(Verb& machine, Action& action);
void add_network(Verb& app, Action& action);
void add_calibrate(Verb& app, Action& action);
void add_collect(Verb& app, Action& action);
void add_explain(Verb& app, Action& action);
void add_import(Verb& app, Action& action);
/// `ridge import perf`, papi, likwid, nsight: subcommands of the verb `import`.
void add_import_counters(Verb& import_verb, Action& action);
void add_plot(Verb& app, Action& action);
void add_predict(Verb& app, Action& action);
void add_report(Verb& app, Action& action);
void add_runs(Verb& app, Action& action);
void add_simulate(Verb& app, Action& action);
void add_trace(Verb& app, Action& action);
void add_validate(Verb& app, Action& action);

}  // namespace ridge::app
