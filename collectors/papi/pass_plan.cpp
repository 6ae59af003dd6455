#include "collectors/papi/pass_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::papi {
namespace {

int used(const Pass& pass, const std::string& pool) {
    return static_cast<int>(
        std::count_if(pass.events.begin(), pass.events.end(),
                      [&](const PlannedEvent& e) { return e.row >= 0 && e.pool == pool; }));
}

bool same_row_only(const EventTable& table, const Pass& pass, int row) {
    const auto flop = [&](int r) { return table.rows[static_cast<std::size_t>(r)].unit == "flop"; };
    // FLOP events may take two counters each (AMD merges them): they share with nobody.
    return std::all_of(pass.events.begin(), pass.events.end(), [&](const PlannedEvent& e) {
        return e.row < 0 || e.row == row || (!flop(e.row) && !flop(row));
    });
}

}  // namespace

std::vector<std::string> spellings(const EventTerm& term, const std::string& pmu) {
    if (term.event.find("::") != std::string::npos) return {term.event};
    std::vector<std::string> names{pmu + "::" + term.event};
    if (term.code) names.push_back(fmt::format("perf_raw::r{:04x}", *term.code));
    return names;
}

std::vector<std::string> instances(const SystemFacts& facts, const std::string& device) {
    std::vector<std::string> found;
    for (const auto& [name, cpus] : facts.devices) {
        if (name.rfind(device, 0) != 0) continue;
        const std::string rest = name.substr(device.size());
        const bool numbered = rest.size() > 1 && rest[0] == '_' &&
                              rest.find_first_not_of("0123456789", 1) == std::string::npos;
        if (rest.empty() || numbered) found.push_back(name);
    }
    return found;
}

std::vector<Pass> plan_passes(const EventTable& table, const std::vector<PlannedEvent>& events,
                              const std::vector<PlannedEvent>& base) {
    std::vector<Pass> passes;
    for (const PlannedEvent& event : events) {
        const CounterScope scope = table.rows[static_cast<std::size_t>(event.row)].scope;
        int room = scope == CounterScope::socket ? table.device_counters : 1 << 16;
        if (scope == CounterScope::thread) {
            const auto beside = std::count_if(base.begin(), base.end(),
                                              [&](const auto& b) { return b.pool == event.pool; });
            room = std::max(table.counters - (table.fixed_base ? 0 : static_cast<int>(beside)), 1);
        }
        auto pass = std::find_if(passes.begin(), passes.end(), [&](const Pass& p) {
            return p.scope == scope && used(p, event.pool) < room &&
                   same_row_only(table, p, event.row);
        });
        if (pass == passes.end()) {
            passes.push_back({scope, {}});
            pass = passes.end() - 1;
        }
        if (scope == CounterScope::thread && used(*pass, event.pool) == 0)
            for (const PlannedEvent& b : base)
                if (b.pool == event.pool) pass->events.push_back(b);
        pass->events.push_back(event);
    }
    return passes;
}

}  // namespace ridge::papi
