#include "tests/papi/session_machine.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collectors/papi/pass_plan.hpp"

namespace ridge::test {

EventTable shipped(const std::string& name) {
    for (EventTable& table : shipped_event_tables())
        if (table.name == name) return table;
    FAIL("no table " << name);
    return {};
}

EventTable table_of(const std::string& rows, const std::string& head) {
    return parse_event_table(
        "name: t\nsource: s\ndevice_counters: 4\n" + head + "quantities:\n" + rows, "t.yaml");
}

const std::string adds_row =
    "  PAPI_SP_OPS:\n    unit: flop\n    precision: f32\n"
    "    terms: [{event: ADD}]\n    source: s\n";

std::shared_ptr<FakeMachine> machine_with(const std::set<std::string>& events) {
    auto machine = std::make_shared<FakeMachine>();
    machine->known = events;
    return machine;
}

std::shared_ptr<FakeMachine> complete(const EventTable& table, CounterOptions& options,
                                      const std::map<std::string, std::vector<int>>& devices) {
    auto machine = std::make_shared<FakeMachine>();
    options = machine->options();
    for (const auto& [name, cpus] : devices) options.facts.devices[name] = cpus;
    std::vector<EventTerm> terms;
    if (table.cycles) terms = {*table.cycles, *table.instructions};
    for (const CounterRow& row : table.rows)
        terms.insert(terms.end(), row.terms.begin(), row.terms.end());
    for (const EventTerm& term : terms) {
        for (const std::string& pmu : table.pmus)
            if (term.device.empty()) machine->known.insert(papi::spellings(term, pmu).front());
        for (const std::string& device : papi::instances(options.facts, term.device))
            if (!term.device.empty()) machine->known.insert(device + "/" + term.fields + "/");
    }
    return machine;
}

const CounterAvailability& entry(const CounterSession& session, const std::string& name) {
    const auto found = std::find_if(session.available().begin(), session.available().end(),
                                    [&](const auto& a) { return a.name == name; });
    REQUIRE(found != session.available().end());
    return *found;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace ridge::test
