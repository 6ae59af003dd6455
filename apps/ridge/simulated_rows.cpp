#include "apps/ridge/simulated_rows.hpp"

#include <map>
#include <utility>

#include "ridge/loop_nest.hpp"

namespace ridge::app {
namespace {

std::vector<LevelBytes> bytes_per_level(const Traffic& traffic) {
    std::vector<LevelBytes> levels;
    for (const LevelTraffic& level : traffic.levels)
        levels.push_back(
            {level.next_level, Bytes(level.counts.read_bytes + level.counts.written_bytes)});
    return levels;
}

}  // namespace

void simulate_rows(RunAnalysis& run, const Machine& machine) {
    const HierarchySpec caches = hierarchy_of(machine, run.info.threads);
    // A few groups of lines are enough for a dot, and a whole step then takes seconds.
    const SimulateOptions options{
        .method = can_sample(caches) ? TrafficMethod::sampled : TrafficMethod::periodic,
        .protocol = run.info.state,
        .sampled_groups = 8};
    std::map<std::pair<std::string, Pass>, std::vector<LevelBytes>> known;
    for (RowAnalysis& row : run.rows) {
        const Measurement& m = row.row;
        if (!m.key.part.empty() || m.key.pass == Pass::update) continue;
        const auto [entry, is_new] = known.try_emplace({m.problem, m.key.pass});
        if (is_new) {
            const auto source = make_source(nest_of(parse_layer(m.problem), m.key.pass),
                                            caches.levels.front().line_bytes, caches.threads);
            entry->second = bytes_per_level(simulate(*source, caches, options));
        }
        row.simulated = entry->second;
    }
}

}  // namespace ridge::app
