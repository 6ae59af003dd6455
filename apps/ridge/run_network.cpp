#include "apps/ridge/run_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ridge/error.hpp"

namespace ridge::app {

RunNetwork network_of(const Run& run) {
    RunNetwork result;
    Network& network = result.network;
    network.name = run.info.network;
    network.batch = run.info.batch;
    network.description = fmt::format("layers of run {}", run.info.id);
    network.chained = false;
    std::map<std::string, std::size_t> places;
    int without_layer = 0, parts = 0;
    for (const Measurement& row : run.rows) {
        if (!row.key.part.empty()) {
            ++parts;
            continue;
        }
        if (row.problem.empty()) {
            ++without_layer;
            continue;
        }
        Layer layer = parse_layer(row.problem);
        layer.name = row.key.layer;
        const auto [place, added] = places.try_emplace(layer.name, network.layers.size());
        if (added) network.layers.push_back({std::move(layer), {}, {}});
        auto& passes = network.layers[place->second].passes;
        if (std::find(passes.begin(), passes.end(), row.key.pass) == passes.end())
            passes.push_back(row.key.pass);
    }
    if (network.layers.empty())
        throw bad_input(fmt::format("run {}", run.info.id), "a row with a layer to predict",
                        "times only");
    if (without_layer > 0)
        result.notes.push_back(
            fmt::format("{} rows of the run have a time but no layer: left out", without_layer));
    if (parts > 0)
        result.notes.push_back(fmt::format(
            "{} rows of the run are reorders of the library: set beside a prediction only where "
            "oneDNN is expected to make the same",
            parts));
    return result;
}

}  // namespace ridge::app
