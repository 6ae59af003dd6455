// The machine file of this machine: loaded, or probed when there is none yet.
#pragma once

#include <string>

#include "ridge/machine.hpp"

namespace ridge::app {

/// load_machine(name_or_path), except that "local" runs a quick probe (20 s, told on stderr) and
/// writes local_machine_path() when that file does not exist.
Machine machine_or_probe(const std::string& name_or_path);

}  // namespace ridge::app
