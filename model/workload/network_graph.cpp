// From a list of layers to the graph of a training step.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/workload/kinds.hpp"
#include "model/workload/network_file.hpp"
#include "ridge/error.hpp"

namespace ridge::workload {
namespace {

std::string text_of(const Shape& shape) {
    return fmt::format("{} channels of {}x{}", shape.c, shape.h, shape.w);
}

/// The shape that input `index` of a layer must have.
Shape expected_input(const Layer& layer, std::size_t index) {
    Shape shape = kind_of(layer).input(layer);
    if (layer.kind == LayerKind::concat) shape.c = layer.inputs[index];
    return shape;
}

std::size_t input_count(const Layer& layer) {
    return layer.kind == LayerKind::concat || layer.kind == LayerKind::sum ? layer.inputs.size()
                                                                           : 1;
}

void check_shapes(const Network& network, const std::string& place) {
    std::map<std::string, Shape> outputs;
    for (const auto& [layer, from, passes] : network.layers) {
        const std::string where = fmt::format("{}: layer '{}'", place, layer.name);
        if (from.size() != input_count(layer))
            throw bad_input(where, fmt::format("{} producers", input_count(layer)),
                            fmt::format("{}", from.size()));
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (from[i] == "data") continue;  // the input has the shape its readers want
            const Shape wanted = expected_input(layer, i), given = outputs.at(from[i]);
            // An inner product flattens what it gets.
            const bool fits = layer.kind == LayerKind::inner_product
                                  ? wanted.c * wanted.h * wanted.w == given.c * given.h * given.w
                                  : wanted == given;
            if (!fits)
                throw bad_input(where,
                                fmt::format("an input of {} as its line says", text_of(wanted)),
                                fmt::format("{} from '{}'", text_of(given), from[i]));
        }
        outputs[layer.name] = kind_of(layer).output(layer);
    }
}

/// A tensor that several layers read gets a split layer whose backward sums their gradients.
Network with_splits(const Network& network) {
    std::map<std::string, std::int64_t> readers;
    for (const auto& entry : network.layers)
        for (const auto& producer : entry.from) ++readers[producer];

    Network result = network;
    result.layers.clear();
    std::map<std::string, std::string> renamed;
    for (NetworkLayer entry : network.layers) {
        for (auto& producer : entry.from)
            if (const auto it = renamed.find(producer); it != renamed.end()) producer = it->second;
        const std::string name = entry.layer.name;
        const Shape shape = kind_of(entry.layer).output(entry.layer);
        const Layer layer = entry.layer;
        result.layers.push_back(std::move(entry));
        if (readers[name] < 2) continue;
        Layer split;
        split.kind = LayerKind::split;
        split.name = name + "_split";
        split.dtype = layer.dtype;
        split.dims.mb = layer.dims.mb;
        split.dims.ic = split.dims.oc = shape.c;
        split.dims.ih = split.dims.oh = shape.h;
        split.dims.iw = split.dims.ow = shape.w;
        split.inputs.assign(static_cast<std::size_t>(readers[name]), shape.c);
        renamed[name] = split.name;
        result.layers.push_back({split, {name}, training_passes(split)});
    }
    return result;
}

/// Training needs the gradient of an activation only when parameters lie before it.
void drop_needless_passes(Network& network) {
    std::map<std::string, bool> needs_gradient{{"data", false}};
    for (auto& [layer, from, passes] : network.layers) {
        const bool before = std::any_of(from.begin(), from.end(), [&](const std::string& producer) {
            return needs_gradient.at(producer);
        });
        const bool own = kind_of(layer).parameters(layer) > 0;
        std::erase_if(passes, [&](Pass pass) {
            return (pass == Pass::backward_data && !before) ||
                   (pass == Pass::backward && !before && !own);
        });
        needs_gradient[layer.name] = before || own;
    }
}

}  // namespace

Network connect(Network network, const std::string& place) {
    check_shapes(network, place);
    network = with_splits(network);
    drop_needless_passes(network);
    return network;
}

}  // namespace ridge::workload
