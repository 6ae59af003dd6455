// ridge machine counters: which hardware counters can be read here, and why the others cannot.
#include <fmt/format.h>

#include <memory>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/hardware_counters.hpp"
#include "core/json.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace ridge::app {
namespace {

Json to_json(const HardwareCounters& counters) {
    Json json{{"processor_table", counters.table},
              {"backend", counters.backend},
              {"unavailable", counters.unavailable},
              {"nmi_watchdog", counters.facts.nmi_watchdog},
              {"quantities", Json::array()}};
    json["perf_event_paranoid"] =
        counters.facts.paranoid ? Json(*counters.facts.paranoid) : Json(nullptr);
    if (!counters.session) return json;
    for (const CounterAvailability& entry : counters.session->available()) {
        Json one{{"name", entry.name}, {"formula", entry.formula}, {"source", entry.source}};
        if (!entry.reason.empty()) one["unavailable"] = entry.reason;
        if (!entry.note.empty()) one["note"] = entry.note;
        json["quantities"].push_back(std::move(one));
    }
    return json;
}

void print(const HardwareCounters& counters) {
    fmt::print("processor  {}\n", counters.table.empty() ? "not in the tables" : counters.table);
    fmt::print("back end   {}\n", counters.backend.empty() ? "none" : counters.backend);
    if (!counters.unavailable.empty())
        fmt::print("hardware counters: unavailable: {}\n", counters.unavailable);
    if (!counters.session) return;
    // Where nothing can be counted, one reason has been told; what is missing remains.
    const bool none = !counters.unavailable.empty();
    report::Table table({{.header = "quantity"}, {.header = none ? "would be" : "here"}});
    for (const CounterAvailability& entry : counters.session->available())
        table.add_row({entry.name, none                    ? entry.formula
                                   : !entry.reason.empty() ? "no: " + entry.reason
                                   : entry.note.empty()    ? "yes"
                                                           : "yes: " + entry.note});
    fmt::print("\n{}", table.text({.width = report::terminal(1).width}));
}

ExitCode run(bool json) {
    HardwareCounters counters = open_hardware_counters();
    calibrate(counters);
    if (json)
        fmt::print("{}\n", to_json(counters).dump(2));
    else
        print(counters);
    return ExitCode::done;
}

}  // namespace

void add_machine_counters(Verb& machine, Action& action) {
    const auto json = std::make_shared<bool>(false);
    auto* verb = machine.add_subcommand(
        "counters", "hardware counters that can be read here, and why others cannot");
    verb->footer("Example:\n  ridge machine counters");
    verb->add_flag("--json", *json, "print JSON");
    verb->callback([json, &action] { action = [json] { return run(*json); }; });
}

}  // namespace ridge::app
