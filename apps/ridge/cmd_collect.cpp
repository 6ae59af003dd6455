#include "apps/ridge/commands.hpp"

namespace ridge::app {

void add_collect(CLI::App& app, Action& action) {
    auto* verb = app.add_subcommand("collect", "not built yet");
    verb->callback([&action] { action = [] { return ExitCode::not_possible; }; });
}

}  // namespace ridge::app
