// ridge machine list | show | lint; `probe` and `counters` have files of their own.

#include <fmt/format.h>

#include <memory>

#include "apps/ridge/commands.hpp"
#include "model/machine/machine_json.hpp"
#include "report/machine_tables.hpp"
#include "report/terminal.hpp"
#include "ridge/machine.hpp"

namespace ridge::app {
namespace {

struct MachineOptions {
    std::string name = "local";
    std::vector<std::string> changes;
    bool json = false;
};

Machine machine_of(const MachineOptions& options) {
    Machine machine = load_machine(options.name);
    for (const auto& change : options.changes) apply_what_if(machine, change);
    return machine;
}

void print(const report::Table& table) {
    if (table.rows().empty()) return;
    const auto screen = report::terminal(1);
    fmt::print("\n{}", table.text({.width = screen.width, .colour = screen.colour}));
}

void print_findings(const Machine& machine) {
    for (const auto& finding : lint(machine)) fmt::print("! {}\n", finding);
}

ExitCode show(const MachineOptions& options) {
    const Machine machine = machine_of(options);
    if (options.json) {
        Json json = to_json(machine);
        json["findings"] = lint(machine);
        fmt::print("{}\n", json.dump(2));
        return ExitCode::done;
    }
    for (const auto& [name, value] : report::machine_facts(machine))
        fmt::print("{:<20} {}\n", name, value);
    print(report::compute_table(machine));
    print(report::levels_table(machine));
    print(report::bandwidth_table(machine));
    fmt::print("\n");
    print_findings(machine);
    return ExitCode::done;
}

ExitCode list(bool as_json) {
    auto machines = shipped_machines();
    const bool probed = [] {
        try {
            (void)load_machine("local");
            return true;
        } catch (const Error&) {
            return false;
        }
    }();
    if (probed)
        machines.insert(machines.begin(), {"local", "this machine, probed", local_machine_path()});
    if (as_json) {
        Json json = Json::array();
        for (const auto& entry : machines)
            json.push_back(
                {{"name", entry.name}, {"description", entry.description}, {"path", entry.path}});
        fmt::print("{}\n", json.dump(2));
        return ExitCode::done;
    }
    for (const auto& entry : machines) fmt::print("{:<22} {}\n", entry.name, entry.description);
    if (!probed) fmt::print("{:<22} not probed yet: ridge machine probe\n", "local");
    return ExitCode::done;
}

/// Impossible numbers end in bad_input while loading; here remain the odd ones.
ExitCode check(const MachineOptions& options) {
    const Machine machine = machine_of(options);
    const auto findings = lint(machine);
    if (options.json)
        fmt::print("{}\n", Json{{"machine", machine.name}, {"findings", findings}}.dump(2));
    else if (findings.empty())
        fmt::print("{}: nothing to remark\n", machine.name);
    else
        print_findings(machine);
    return findings.empty() ? ExitCode::done : ExitCode::job_failed;
}

}  // namespace

void add_machine(Verb& app, Action& action) {
    auto* verb = app.add_subcommand(
        "machine", "ceilings of this machine and of others: measure, show, list, check");
    verb->footer(
        "Example:\n  ridge machine show xeon-gold-6148-2s\n"
        "  ridge machine show local --set dram.bandwidth=2x");
    verb->require_subcommand(1);
    add_machine_probe(*verb, action);
    add_machine_counters(*verb, action);

    const auto options = std::make_shared<MachineOptions>();
    const auto add_name = [options](Verb* command) {
        command
            ->add_option("machine", options->name,
                         "local (this machine), a shipped machine, or a .yaml file")
            ->capture_default_str();
        command->add_flag("--json", options->json, "print JSON");
    };

    auto* show_command = verb->add_subcommand("show", "every ceiling with source and spread");
    add_name(show_command);
    show_command->add_option("--set", options->changes, "KEY=VALUE or KEY=2x, may be repeated")
        ->allow_extra_args(false);
    show_command->footer("Example:\n  ridge machine show local --set l2.capacity=2MiB");
    show_command->callback([options, &action] { action = [options] { return show(*options); }; });

    auto* list_command = verb->add_subcommand("list", "machines that have a name");
    list_command->add_flag("--json", options->json, "print JSON");
    list_command->footer("Example:\n  ridge machine list");
    list_command->callback(
        [options, &action] { action = [options] { return list(options->json); }; });

    auto* lint_command = verb->add_subcommand(
        "lint", "what is odd in a machine file; exit code 1 when there is something");
    add_name(lint_command);
    lint_command->footer("Example:\n  ridge machine lint my-machine.yaml");
    lint_command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace ridge::app
