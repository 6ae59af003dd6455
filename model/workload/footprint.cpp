// Memory of a training step: who makes each tensor, who reads it last.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "model/workload/kinds.hpp"
#include "ridge/network.hpp"

namespace ridge {
namespace {

/// Activation or gradient with the first and last moment of the step that needs it.
struct Lifetime {
    Bytes size;
    int first = 0, last = 0;
};

/// The step as a sequence of (layer, pass): all forward, all backward in reverse, all updates.
std::vector<std::pair<const NetworkLayer*, Pass>> sequence(const Network& network) {
    std::vector<std::pair<const NetworkLayer*, Pass>> steps;
    const auto has = [](const NetworkLayer& entry, Pass pass) {
        return std::find(entry.passes.begin(), entry.passes.end(), pass) != entry.passes.end();
    };
    for (const auto& entry : network.layers)
        if (has(entry, Pass::forward)) steps.emplace_back(&entry, Pass::forward);
    for (auto it = network.layers.rbegin(); it != network.layers.rend(); ++it)
        for (const Pass pass : {Pass::backward, Pass::backward_data, Pass::backward_weights})
            if (has(*it, pass)) steps.emplace_back(&*it, pass);
    for (const auto& entry : network.layers)
        if (has(entry, Pass::update)) steps.emplace_back(&entry, Pass::update);
    return steps;
}

/// Names of the memory behind each layer's output and each gradient, in-place and aliases resolved.
class Memory {
public:
    explicit Memory(const Network& network) {
        for (const auto& [layer, from, passes] : network.layers) {
            const bool alias = layer.in_place || layer.kind == LayerKind::split;
            root_[layer.name] = alias ? root(from.front()) : layer.name;
            for (const auto& producer : from) consumers_[producer].push_back(layer.name);
            // A sum hands the gradient it gets to its inputs; an in-place layer changes it where
            // it lies.
            hands_on_[layer.name] = layer.in_place || layer.kind == LayerKind::sum;
        }
    }
    [[nodiscard]] std::string root(const std::string& name) const {
        const auto it = root_.find(name);
        return it == root_.end() ? name : it->second;
    }
    [[nodiscard]] const std::vector<std::string>& consumers(const std::string& name) const {
        static const std::vector<std::string> none;
        const auto it = consumers_.find(name);
        return it == consumers_.end() ? none : it->second;
    }

    /// The gradient of `producer`'s output that its reader number `index` gives.
    [[nodiscard]] std::string gradient(const std::string& producer, std::size_t index) const {
        const auto& readers = consumers(producer);
        if (index >= readers.size()) return producer + " by the loss";
        return gradient(producer, readers[index]);
    }
    [[nodiscard]] std::string gradient(const std::string& producer,
                                       const std::string& reader) const {
        if (hands_on_.at(reader)) return gradient(reader, 0);
        return producer + " by " + reader;
    }

private:
    std::map<std::string, std::string> root_;
    std::map<std::string, std::vector<std::string>> consumers_;
    std::map<std::string, bool> hands_on_;
};

class Timeline {
public:
    explicit Timeline(const Network& network) : memory_(network) {
        const auto steps = sequence(network);
        for (moment_ = 0; moment_ < static_cast<int>(steps.size()); ++moment_)
            add(*steps[static_cast<std::size_t>(moment_)].first,
                steps[static_cast<std::size_t>(moment_)].second);
        steps_ = static_cast<int>(steps.size());
    }
    [[nodiscard]] const std::map<std::string, Lifetime>& tensors() const { return tensors_; }
    [[nodiscard]] int steps() const { return steps_; }

private:
    void use(const std::string& tensor, Bytes size) {
        auto [it, added] = tensors_.try_emplace(tensor, Lifetime{size, moment_, moment_});
        it->second.size = std::max(it->second.size, size);
        it->second.last = moment_;
    }

    void add(const NetworkLayer& entry, Pass pass) {
        const Layer& layer = entry.layer;
        for (const TensorUse& tensor : ridge::tensors(layer, pass)) {
            const std::string& name = tensor.name;
            if (name.starts_with("src"))
                use("activation " + memory_.root(producer(entry, name, 3)), tensor.size);
            else if (name == "dst")
                use("activation " + memory_.root(layer.name), tensor.size);
            else if (name.starts_with("diff_src"))
                use("gradient " + memory_.gradient(producer(entry, name, 8), layer.name),
                    tensor.size);
            else if (name.starts_with("diff_dst"))
                use("gradient " + memory_.gradient(layer.name, index_of(name, 8)), tensor.size);
            else if (name == "ws" || name == "mask" || name == "mean" || name == "variance")
                use(fmt::format("workspace {} {}", layer.name, name), tensor.size);
        }
    }

    /// The number behind "src", "diff_dst" and the like; 0 when there is none.
    static std::size_t index_of(const std::string& name, std::size_t prefix) {
        return name.size() == prefix ? 0 : std::stoul(name.substr(prefix));
    }
    static std::string producer(const NetworkLayer& entry, const std::string& name,
                                std::size_t prefix) {
        return entry.from[index_of(name, prefix)];
    }

    Memory memory_;
    std::map<std::string, Lifetime> tensors_;
    int moment_ = 0, steps_ = 0;
};

}  // namespace

TrainingFootprint training_footprint(const Network& network) {
    TrainingFootprint result;
    for (const auto& entry : network.layers) {
        const auto count = static_cast<double>(parameters(entry.layer));
        const Bytes size = count * size_of(entry.layer.dtype);
        result.weights += size;
        result.weight_gradients += size;
        result.momentum += count * size_of(DataType::f32);
    }
    const Timeline timeline(network);
    for (const auto& [name, life] : timeline.tensors()) {
        if (name.starts_with("activation"))
            result.activations += life.size;
        else if (name.starts_with("gradient"))
            result.activation_gradients += life.size;
        else
            result.workspace += life.size;
    }
    const Bytes parameters_total = result.weights + result.weight_gradients + result.momentum;
    result.total =
        parameters_total + result.activations + result.activation_gradients + result.workspace;

    const auto steps = sequence(network);
    for (int moment = 0; moment < timeline.steps(); ++moment) {
        Bytes alive = parameters_total;
        for (const auto& [name, life] : timeline.tensors())
            if (life.first <= moment && moment <= life.last) alive += life.size;
        if (alive > result.peak) {
            const auto& [entry, pass] = steps[static_cast<std::size_t>(moment)];
            result.peak = alive;
            result.peak_at = fmt::format("{} {}", entry->layer.name, to_string(pass));
        }
    }
    return result;
}

}  // namespace ridge
