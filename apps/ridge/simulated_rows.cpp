#include "apps/ridge/simulated_rows.hpp"

#include <map>
#include <utility>

#include "ridge/counter_names.hpp"
#include "ridge/loop_nest.hpp"

namespace ridge::app {
namespace {

std::vector<LevelBytes> bytes_per_level(const Traffic& traffic) {
    std::vector<LevelBytes> levels;
    for (const LevelTraffic& level : traffic.levels)
        levels.push_back(
            {level.next_level, Bytes(level.counts.read_bytes + level.counts.written_bytes), false});
    // Non-temporal stores cross no cache.
    if (!levels.empty())
        levels.back().bytes = Bytes(traffic.memory.read_bytes + traffic.memory.written_bytes);
    return levels;
}

/// What the run stored of the row's traced kernel, but for the first level, whose bytes are those
/// of its instructions; empty when a level is missing.
std::vector<LevelBytes> stored_bytes(const Measurement& row, const HierarchySpec& caches) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < caches.levels.size(); ++i) names.push_back(caches.levels[i].name);
    names.push_back(caches.memory_name);
    std::vector<LevelBytes> levels;
    for (const std::string& name : names) {
        const auto read = row.counters.find(counter::read_bytes(name));
        const auto written = row.counters.find(counter::written_bytes(name));
        if (read == row.counters.end() || written == row.counters.end() ||
            !read->second.available() || !written->second.available() ||
            read->second.source() != Source::simulated)
            return {};
        levels.push_back({name, Bytes(read->second.value() + written->second.value()), true});
    }
    return levels;
}

/// The problem without the layer's name.
std::string nameless(const std::string& problem) {
    Layer layer = parse_layer(problem);
    layer.name.clear();
    return to_line(layer);
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
        row.simulated = stored_bytes(m, caches);
        if (!row.simulated.empty() || !m.key.part.empty() || m.key.pass == Pass::update) continue;
        const auto [entry, is_new] = known.try_emplace({nameless(m.problem), m.key.pass});
        if (is_new) {
            const auto source = make_source(nest_of(parse_layer(m.problem), m.key.pass),
                                            caches.levels.front().line_bytes, caches.threads);
            entry->second = bytes_per_level(simulate(*source, caches, options));
        }
        row.simulated = entry->second;
    }
}

}  // namespace ridge::app
