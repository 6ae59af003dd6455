// Tables and made-up machines that the tests of sessions share.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/papi/fake_machine.hpp"

namespace ridge::test {

EventTable shipped(const std::string& name);

/// A table of one processor with the quantities of `rows` (YAML, indented by two).
EventTable table_of(const std::string& rows, const std::string& head = "pmus: [p]\ncounters: 4\n");

/// A row of the quantity PAPI_SP_OPS: event ADD.
extern const std::string adds_row;

std::shared_ptr<FakeMachine> machine_with(const std::set<std::string>& events);

/// A machine that has every event of a table and these memory controllers.
std::shared_ptr<FakeMachine> complete(const EventTable& table, CounterOptions& options,
                                      const std::map<std::string, std::vector<int>>& devices);

const CounterAvailability& entry(const CounterSession& session, const std::string& name);

bool has(const std::string& text, const std::string& part);

}  // namespace ridge::test
