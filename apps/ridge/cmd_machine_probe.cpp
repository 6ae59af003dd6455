#include "apps/ridge/commands.hpp"

namespace ridge::app {

void add_machine_probe(CLI::App& machine, Action& action) {
    auto* verb = machine.add_subcommand("probe", "not built yet");
    verb->callback([&action] { action = [] { return ExitCode::not_possible; }; });
}

}  // namespace ridge::app
