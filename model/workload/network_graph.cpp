// From a list of layers to the graph of a training step.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/workload/kinds.hpp"
#include "model/workload/network_file.hpp"
#include "ridge/error.hpp"

namespace ridge::workload {
namespace {

std::string text_of(const Shape& shape) {
    return fmt::format("{} channels of {}x{}", shape.c, shape.h, shape.w);
}

/// An inner product flattens its input; it takes the shape that arrives, so that the input keeps
/// its memory format.
bool flattens(Layer& layer, const Shape& arriving) {
    Dims& d = layer.dims;
    if (layer.kind != LayerKind::inner_product ||
        d.ic * d.ih * d.iw != arriving.c * arriving.h * arriving.w)
        return false;
    d.ic = arriving.c, d.ih = arriving.h, d.iw = arriving.w;
    return true;
}

/// The network's input has the shape that its first reader wants.
void check_shapes(Network& network, const std::vector<std::string>& places) {
    std::map<std::string, Shape> outputs;
    for (std::size_t n = 0; n < network.layers.size(); ++n) {
        auto& [layer, from, passes] = network.layers[n];
        const Kind& kind = kind_of(layer);
        const std::string where = fmt::format("{}: layer '{}'", places[n], layer.name);
        if (from.size() != kind.input_count(layer))
            throw bad_input(where, fmt::format("{} producers", kind.input_count(layer)),
                            fmt::format("{}", from.size()));
        for (std::size_t i = 0; i < from.size(); ++i) {
            const Shape wanted = kind.input(layer, i);
            const Shape arriving = outputs.try_emplace(from[i], wanted).first->second;
            if (wanted != arriving && !flattens(layer, arriving))
                throw bad_input(where,
                                fmt::format("an input of {} as its line says", text_of(wanted)),
                                fmt::format("{} from '{}'", text_of(arriving), from[i]));
        }
        outputs[layer.name] = kind.output(layer);
    }
}

/// Kinds whose backward pass reads their own output.
bool needs_own_output(const Layer& layer) {
    return layer.kind == LayerKind::softmax ||
           (layer.kind == LayerKind::eltwise && layer.algorithm != Algorithm::relu);
}

/// A layer that overwrites its input must be its only reader, and nobody before it may need what it
/// overwrites. ReLU in place needs the sign of its output: ReLU keeps it, and where dropout clears
/// an element the gradient is zero anyway; another function would destroy it.
void check_in_place(const Network& network, const std::vector<std::string>& places) {
    std::map<std::string, int> readers;
    std::map<std::string, const NetworkLayer*> by_name;
    for (const auto& entry : network.layers) {
        for (const auto& producer : entry.from) ++readers[producer];
        by_name[entry.layer.name] = &entry;
    }
    const auto keeps_sign = [](const Layer& layer) {
        return layer.kind == LayerKind::dropout ||
               (layer.kind == LayerKind::eltwise && layer.algorithm == Algorithm::relu);
    };
    for (std::size_t n = 0; n < network.layers.size(); ++n) {
        const NetworkLayer* entry = &network.layers[n];
        if (!entry->layer.in_place) continue;
        const Layer& layer = entry->layer;
        const std::string where = fmt::format("{}: layer '{}': inplace", places[n], layer.name);
        const std::string& input = entry->from.front();
        if (input == "data")
            throw bad_input(where, "a layer before it: the network's input stays", "'data'");
        if (readers[input] > 1)
            throw bad_input(where, fmt::format("no other reader of '{}'", input),
                            fmt::format("{} readers", readers[input]));
        // All layers that left their output in this memory.
        const NetworkLayer* before = by_name.at(input);
        while (true) {
            const Layer& owner = before->layer;
            const bool sign_needed = owner.in_place && owner.kind == LayerKind::eltwise;
            if (needs_own_output(owner) || (sign_needed && !keeps_sign(layer)))
                throw bad_input(where, "an input that no layer before it needs for its gradient",
                                fmt::format("the output of '{}'", owner.name));
            if (!owner.in_place) break;
            before = by_name.at(before->from.front());
        }
    }
}

/// A tensor that several layers read gets a split layer whose backward sums their gradients.
Network with_splits(const Network& network) {
    std::map<std::string, std::int64_t> readers;
    std::set<std::string> names;
    for (const auto& entry : network.layers) {
        names.insert(entry.layer.name);
        for (const auto& producer : entry.from) ++readers[producer];
    }

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
        while (!names.insert(split.name).second) split.name += "_";
        split.dtype = layer.dtype;
        // The result of a batched matrix product has the rows of all products.
        split.dims.mb = layer.dims.mb * (layer.kind == LayerKind::matmul ? layer.dims.g : 1);
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

Network connect(Network network, const std::vector<std::string>& places) {
    check_shapes(network, places);
    check_in_place(network, places);
    return connect_unchecked(std::move(network));
}

Network connect_unchecked(Network network) {
    network = with_splits(network);
    drop_needless_passes(network);
    return network;
}

}  // namespace ridge::workload
