// The machine file of this machine: loaded, or probed when there is none yet.
#pragma once

#include <string>

#include "collectors/probe/probe.hpp"
#include "ridge/machine.hpp"

namespace ridge::app {

/// load_machine(name_or_path), except that "local" runs a quick probe (20 s, told on stderr) and
/// writes local_machine_path() when that file does not exist.
Machine machine_or_probe(const std::string& name_or_path);

/// Probes this machine and writes its file. What the quiet probes saw joins the history of this
/// machine (quiet.json), and the levels in the file are the highest of that history and of the file
/// that was at `path` before: they only rise. Refuses an unwritable `path` before it measures;
/// an interruption leaves everything as it was. `what` names the progress bar.
probe::ProbeResult probe_to_file(const probe::ProbeOptions& options, const std::string& path,
                                 const std::string& what, bool show_progress = true);

/// Says on stderr what was not measured or is suspicious, one line each.
void print_remarks(const probe::ProbeResult& result);

}  // namespace ridge::app
