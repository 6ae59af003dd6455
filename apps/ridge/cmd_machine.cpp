#include "apps/ridge/commands.hpp"

namespace ridge::app {

void add_machine(CLI::App& app, Action& action) {
    auto* verb = app.add_subcommand("machine", "not built yet");
    verb->require_subcommand(1);
    add_machine_probe(*verb, action);
}

}  // namespace ridge::app
