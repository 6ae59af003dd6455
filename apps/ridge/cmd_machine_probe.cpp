// ridge machine probe: measures this machine's ceilings and writes its machine file.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/local_machine.hpp"
#include "collectors/probe/agreement.hpp"
#include "model/machine/machine_json.hpp"
#include "report/machine_tables.hpp"
#include "report/terminal.hpp"
#include "ridge/format.hpp"

namespace ridge::app {
namespace {

struct ProbeCommand {
    probe::ProbeOptions options;
    std::string output;
    bool json = false, repeat_check = false;
};

/// Two probes of one machine agree when the median of their ceilings differs by no more.
constexpr double agreement_goal = 0.03;

Json to_json(const std::vector<probe::FigurePair>& pairs) {
    Json list = Json::array();
    for (const auto& pair : pairs)
        list.push_back({{"name", pair.name},
                        {"first", pair.first},
                        {"second", pair.second},
                        {"difference", pair.difference()}});
    return list;
}

Json to_json(const probe::Agreement& agreement) {
    return {{"median_difference_of_ceilings", median_difference(agreement.ceilings)},
            {"goal", agreement_goal},
            {"ceilings", to_json(agreement.ceilings)},
            {"latencies_and_overheads", to_json(agreement.others)},
            {"only_in_one", agreement.only_one}};
}

void print_table(const report::Table& table) {
    if (table.rows().empty()) return;
    const auto screen = report::terminal(1);
    fmt::print("\n{}", table.text({.width = screen.width, .colour = screen.colour}));
}

void print_machine(const probe::ProbeResult& result, const std::string& path) {
    for (const auto& [name, value] : report::machine_facts(result.machine))
        fmt::print("{:<20} {}\n", name, value);
    print_table(report::compute_table(result.machine));
    print_table(report::levels_table(result.machine));
    print_table(report::bandwidth_table(result.machine));
    fmt::print("\nMeasured in {:.1f} s, written to {}\n", result.took_s, path);
}

void print_pairs(const char* title, const std::vector<probe::FigurePair>& pairs, std::size_t most) {
    if (pairs.empty()) return;
    fmt::print("{}: {} in both probes, median difference {}, worst:\n", title, pairs.size(),
               format_percent(median_difference(pairs)));
    for (std::size_t i = 0; i < std::min(most, pairs.size()); ++i)
        fmt::print("  {:<44} {:>10.4g} {:>10.4g} {:>8}\n", pairs[i].name, pairs[i].first,
                   pairs[i].second, format_percent(pairs[i].difference()));
}

void print_agreement(const probe::Agreement& agreement) {
    fmt::print("\n");
    print_pairs("Ceilings", agreement.ceilings, 10);
    print_pairs("Latencies, overheads and capacity", agreement.others, 10);
    for (const auto& name : agreement.only_one) fmt::print("  only in one probe: {}\n", name);
}

ExitCode run(const ProbeCommand& command) {
    const std::string path = command.output.empty() ? local_machine_path() : command.output;
    const auto once = [&](const char* what) {
        auto result = probe_to_file(command.options, path, what);
        print_remarks(result);
        return result;
    };
    std::optional<probe::ProbeResult> first;
    if (command.repeat_check) first = once("probe 1 of 2");
    const probe::ProbeResult result = once(first ? "probe 2 of 2" : "machine probe");
    std::optional<probe::Agreement> agreement;
    if (first) agreement = probe::compare_probes(first->machine, result.machine);

    if (command.json) {
        Json json{{"path", path},
                  {"took_s", result.took_s},
                  {"machine", to_json(result.machine)},
                  {"not_measured", result.not_measured},
                  {"suspicious", result.suspicious},
                  {"findings", lint(result.machine)}};
        if (agreement) json["repeat_check"] = to_json(*agreement);
        fmt::print("{}\n", json.dump(2));
    } else {
        print_machine(result, path);
        if (agreement) print_agreement(*agreement);
    }
    const bool agree = !agreement || median_difference(agreement->ceilings) <= agreement_goal;
    return agree ? ExitCode::done : ExitCode::job_failed;
}

}  // namespace

void add_machine_probe(Verb& machine, Action& action) {
    auto* verb = machine.add_subcommand(
        "probe", "measure this machine's ceilings and write its machine file (at most 90 s)");
    verb->footer(
        "Every figure is the level that at least three short windows, spread over the whole time, "
        "agree on.\n\nExample:\n  ridge machine probe\n"
        "  ridge machine probe --quick --threads 1 --output one-core.yaml");
    const auto command = std::make_shared<ProbeCommand>();
    verb->add_flag("--quick", command->options.quick, "at most 20 s: fewer rounds");
    verb->add_option("--output", command->output,
                     "file to write (default: the one that \"local\" is read from)")
        ->type_name("FILE");
    verb->add_option("--threads", command->options.threads,
                     "highest thread count to measure (default: one thread per core)")
        ->type_name("N")
        ->check([](const std::string& text) {
            // Zero stands for the default inside.
            return text == "0" ? std::string("expected at least 1, found 0") : std::string();
        });
    verb->add_flag("--repeat-check", command->repeat_check,
                   "probe twice and print how well the two agree; exit code 1 when the median "
                   "ceiling differs by more than 3 %");
    verb->add_flag("--json", command->json, "print JSON");
    verb->callback([command, &action] { action = [command] { return run(*command); }; });
}

}  // namespace ridge::app
