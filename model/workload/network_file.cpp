#include "model/workload/network_file.hpp"

#include <fmt/format.h>

#include <set>

#include "core/yaml.hpp"
#include "model/workload/kinds.hpp"

namespace ridge::workload {
namespace {

/// A layer line whose errors also name the line of the file.
Layer layer_at(const Yaml& problem) {
    try {
        return parse_layer(problem.text());
    } catch (const Error& e) {
        throw Error(e.code(), problem.where() + ": " + e.what());
    }
}

std::vector<std::string> producers_at(const Yaml& entry, const std::string& previous) {
    const auto from = entry.find("from");
    if (!from) return {previous};
    if (from->is_scalar()) return {from->text()};
    std::vector<std::string> names;
    for (const Yaml& item : from->items()) names.push_back(item.text());
    if (names.empty())
        throw from->wrong("the name of a layer, or a list of names", "an empty list");
    return names;
}

void add_layers(const Yaml& entry, std::set<std::string>& known, Network& network) {
    entry.allow_keys({"name", "problem", "from", "times"});
    const std::string name = entry.at("name").text();
    const std::string previous = network.layers.empty() ? "data" : network.layers.back().layer.name;
    const std::int64_t times =
        entry.find("times") ? entry.at("times").integer(1, 1000) : std::int64_t{1};
    std::vector<std::string> from = producers_at(entry, previous);
    for (const auto& producer : from)
        if (!known.contains(producer))
            throw entry.wrong("'from' to name layers above this one, or data",
                              fmt::format("'{}'", producer));
    const Layer layer = layer_at(entry.at("problem"));
    for (std::int64_t n = 1; n <= times; ++n) {
        NetworkLayer added{layer, from, training_passes(layer)};
        added.layer.name = times == 1 ? name : fmt::format("{}.{}", name, n);
        if (!known.insert(added.layer.name).second)
            throw entry.wrong("a name of its own for each layer",
                              fmt::format("'{}' twice", added.layer.name));
        from = {added.layer.name};
        network.layers.push_back(std::move(added));
    }
}

}  // namespace

Network read_network_file(const std::string& path) {
    const Yaml file = Yaml::load(path);
    file.allow_keys({"name", "description", "source", "layers"});
    Network network;
    network.name = file.at("name").text();
    network.description = file.find("description") ? file.at("description").text() : "";
    network.source = file.find("source") ? file.at("source").text() : "";
    std::set<std::string> known{"data"};
    for (const Yaml& entry : file.at("layers").items()) add_layers(entry, known, network);
    if (network.layers.empty()) throw file.at("layers").wrong("at least one layer", "none");
    return connect(std::move(network), path);
}

}  // namespace ridge::workload
