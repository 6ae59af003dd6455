#include "model/workload/network_file.hpp"

#include <fmt/format.h>

#include <set>

#include "model/workload/kinds.hpp"

namespace ridge::workload {
namespace {

/// Larger files are typing errors in `times`.
constexpr std::size_t most_layers = 20000;

/// A layer line whose errors also name the line of the file.
Layer layer_at(const Yaml& problem) {
    Layer layer;
    try {
        layer = parse_layer(problem.text());
    } catch (const Error& e) {
        throw Error(e.code(), problem.where() + ": " + e.what());
    }
    if (!kind_of(layer).in_networks)
        throw problem.wrong("a layer of a network",
                            fmt::format("'{}', which stands alone", to_string(layer.kind)));
    return layer;
}

/// The key `name`, or the name in the layer's line.
std::string name_at(const Yaml& entry, const Layer& layer) {
    const auto key = entry.find("name");
    const std::string name = key ? key->text() : layer.name;
    if (name.empty()) throw entry.wrong("a name for the layer", "none");
    if (!layer.name.empty() && layer.name != name)
        throw key->wrong("the name in the layer's line, '" + layer.name + "'", "'" + name + "'");
    if (name == "data")
        throw entry.wrong("another name: 'data' is the input of the network", "'data'");
    for (const char c : name)
        if (c < ' ' || c > '~' || c == '"')
            throw entry.wrong("printable characters without quotes in a name", "others");
    return name;
}

std::vector<std::string> producers_at(const Yaml& entry, const std::string& previous) {
    const auto from = entry.find("from");
    if (!from) return {previous};
    if (from->is_scalar()) return {from->text()};
    std::vector<std::string> names;
    for (const Yaml& item : from->items()) names.push_back(item.text());
    if (names.empty())
        throw from->wrong("the name of a layer, or a list of names", "an empty list");
    if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
        throw from->wrong("each producer once", fmt::format("{}", fmt::join(names, ", ")));
    return names;
}

void add_layers(const Yaml& entry, std::set<std::string>& known, Network& network,
                std::vector<std::string>& places) {
    entry.allow_keys({"name", "problem", "from", "times"});
    const std::string previous = network.layers.empty() ? "data" : network.layers.back().layer.name;
    const std::int64_t times =
        entry.find("times") ? entry.at("times").integer(1, 1000) : std::int64_t{1};
    const Layer layer = layer_at(entry.at("problem"));
    const std::string name = name_at(entry, layer);
    std::vector<std::string> from = producers_at(entry, previous);
    for (const auto& producer : from)
        if (!known.contains(producer))
            throw entry.wrong("'from' to name layers above this one, or data",
                              fmt::format("'{}'", producer));
    for (std::int64_t n = 1; n <= times; ++n) {
        NetworkLayer added{layer, from, training_passes(layer)};
        added.layer.name = times == 1 ? name : fmt::format("{}.{}", name, n);
        if (!known.insert(added.layer.name).second)
            throw entry.wrong("a name of its own for each layer",
                              fmt::format("'{}' twice", added.layer.name));
        from = {added.layer.name};
        network.layers.push_back(std::move(added));
        places.push_back(entry.where());
    }
    if (network.layers.size() > most_layers)
        throw entry.wrong(fmt::format("at most {} layers", most_layers), "more");
}

PublishedTotal published_at(const Yaml& entry) {
    entry.allow_keys({"parameters", "multiply_adds", "within", "source"});
    const auto parameters = entry.find("parameters"), multiply_adds = entry.find("multiply_adds");
    if (parameters.has_value() == multiply_adds.has_value())
        throw entry.wrong("one of the keys parameters, multiply_adds",
                          parameters ? "both" : "neither");
    PublishedTotal total;
    total.quantity =
        parameters ? PublishedTotal::Quantity::parameters : PublishedTotal::Quantity::multiply_adds;
    total.value = (parameters ? *parameters : *multiply_adds).number(1, 9e15);
    if (const auto within = entry.find("within")) total.within = within->number(0, 1);
    total.source = entry.at("source").text();
    return total;
}

}  // namespace

Network read_network(const Yaml& file) {
    file.allow_keys({"name", "description", "source", "published", "layers"});
    Network network;
    network.name = file.at("name").line();
    network.description = file.find("description") ? file.at("description").text() : "";
    network.source = file.find("source") ? file.at("source").text() : "";
    if (const auto published = file.find("published"))
        for (const Yaml& entry : published->items())
            network.published.push_back(published_at(entry));
    std::set<std::string> known{"data"};
    std::vector<std::string> places;
    for (const Yaml& entry : file.at("layers").items()) add_layers(entry, known, network, places);
    if (network.layers.empty()) throw file.at("layers").wrong("at least one layer", "none");
    return connect(std::move(network), places);
}

}  // namespace ridge::workload
