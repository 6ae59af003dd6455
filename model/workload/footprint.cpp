// Memory of a training step: who makes each tensor, who reads it last.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ridge/network.hpp"

namespace ridge {
namespace {

/// A tensor other than parameters, with the first and last moment of the step that needs it.
struct Lifetime {
    Bytes size;
    int first = 0, last = 0;
};

struct Step {
    const NetworkLayer* entry = nullptr;
    Pass pass = Pass::forward;
};

/// All forward, all backward in reverse, all updates.
std::vector<Step> schedule(const Network& network) {
    std::vector<Step> steps;
    const auto add = [&](const NetworkLayer& entry, Pass pass) {
        if (std::find(entry.passes.begin(), entry.passes.end(), pass) != entry.passes.end())
            steps.push_back({&entry, pass});
    };
    for (const auto& entry : network.layers) add(entry, Pass::forward);
    for (auto it = network.layers.rbegin(); it != network.layers.rend(); ++it)
        for (const Pass pass : {Pass::backward, Pass::backward_data, Pass::backward_weights})
            add(*it, pass);
    for (const auto& entry : network.layers) add(entry, Pass::update);
    return steps;
}

/// Which memory holds the output of each layer, and the gradients that its readers send.
class Memory {
public:
    explicit Memory(const Network& network) {
        for (const auto& [layer, from, passes] : network.layers) {
            const bool alias = layer.in_place || layer.kind == LayerKind::split;
            values_[layer.name] = alias ? value(from.front()) : layer.name;
        }
        // Readers stand behind their producers.
        for (auto it = network.layers.rbegin(); it != network.layers.rend(); ++it) send(*it);
        for (auto& [name, arrived] : arriving_) std::reverse(arrived.begin(), arrived.end());
    }

    [[nodiscard]] std::string value(const std::string& name) const {
        const auto it = values_.find(name);
        return it == values_.end() ? name : it->second;
    }
    /// The gradient of a layer's output that its reader number `index` sends.
    [[nodiscard]] std::string arriving(const std::string& name, std::size_t index) const {
        const auto it = arriving_.find(name);
        return it == arriving_.end() ? name + " from outside" : it->second.at(index).memory;
    }
    /// The gradient of its input `index` that a layer sends.
    [[nodiscard]] std::string sent(const std::string& name, std::size_t index) const {
        return sent_.at({name, index});
    }

private:
    struct Gradient {
        std::string memory;
        bool shared = false;  ///< several producers read it: nobody may overwrite it
    };

    /// A sum hands the gradient it gets to all its inputs. An in-place layer changes it where it
    /// lies, unless others read it too.
    void send(const NetworkLayer& entry) {
        const std::string& name = entry.layer.name;
        const auto it = arriving_.find(name);
        const Gradient own =
            it == arriving_.end() ? Gradient{name + " from outside"} : it->second.front();
        for (std::size_t i = 0; i < entry.from.size(); ++i) {
            Gradient gradient{fmt::format("{} input {}", name, i)};
            if (entry.layer.kind == LayerKind::sum)
                gradient = {own.memory, true};
            else if (entry.layer.in_place && !own.shared)
                gradient = own;
            sent_[{name, i}] = gradient.memory;
            arriving_[entry.from[i]].push_back(gradient);
        }
    }

    std::map<std::string, std::string> values_;
    std::map<std::string, std::vector<Gradient>> arriving_;
    std::map<std::pair<std::string, std::size_t>, std::string> sent_;
};

class Timeline {
public:
    explicit Timeline(const Network& network) : memory_(network), steps_(schedule(network)) {
        for (moment_ = 0; moment_ < static_cast<int>(steps_.size()); ++moment_)
            add(steps_[static_cast<std::size_t>(moment_)]);
    }
    [[nodiscard]] const std::map<std::string, Lifetime>& tensors() const { return tensors_; }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

private:
    void use(const std::string& tensor, Bytes size) {
        auto [it, added] = tensors_.try_emplace(tensor, Lifetime{size, moment_, moment_});
        it->second.size = std::max(it->second.size, size);
        it->second.last = moment_;
    }

    void add(const Step& step) {
        const auto& [layer, from, passes] = *step.entry;
        for (const auto& [name, elements, size, read, written] : ridge::tensors(layer, step.pass)) {
            if (name.starts_with("src"))
                use("activation " + memory_.value(from[index_of(name, 3)]), size);
            else if (name == "dst")
                use("activation " + memory_.value(layer.name), size);
            else if (name.starts_with("diff_src"))
                use("gradient " + memory_.sent(layer.name, index_of(name, 8)), size);
            else if (name.starts_with("diff_dst"))
                use("gradient " + memory_.arriving(layer.name, index_of(name, 8)), size);
            else if (name == "ws" || name == "mask" || name == "mean" || name == "variance" ||
                     name == "labels")
                use(fmt::format("workspace {} {}", layer.name, name), size);
        }
    }

    /// The number behind "src", "diff_dst" and the like; 0 when there is none.
    static std::size_t index_of(const std::string& name, std::size_t prefix) {
        return name.size() == prefix ? 0 : std::stoul(name.substr(prefix));
    }

    Memory memory_;
    std::vector<Step> steps_;
    std::map<std::string, Lifetime> tensors_;
    int moment_ = 0;
};

/// Bytes of all tensors alive at each moment.
std::vector<double> alive(const Timeline& timeline) {
    std::vector<double> change(timeline.steps().size() + 1, 0.0);
    for (const auto& [name, life] : timeline.tensors()) {
        change[static_cast<std::size_t>(life.first)] += life.size.value();
        change[static_cast<std::size_t>(life.last) + 1] -= life.size.value();
    }
    double sum = 0;
    for (double& bytes : change) bytes = sum += bytes;
    return change;
}

void add_parameters(const Network& network, TrainingFootprint& result) {
    for (const auto& entry : network.layers)
        for (const auto& [name, elements, size, read, written] :
             tensors(entry.layer, Pass::update)) {
            if (name == "wei") result.weights += size;
            if (name == "diff_wei") result.weight_gradients += size;
            if (name == "momentum") result.momentum += size;
        }
}

}  // namespace

TrainingFootprint training_footprint(const Network& network) {
    TrainingFootprint result;
    add_parameters(network, result);
    const Bytes trained = result.weights + result.weight_gradients + result.momentum;

    const Timeline timeline(network);
    for (const auto& [name, life] : timeline.tensors()) {
        if (name.starts_with("activation"))
            result.activations += life.size;
        else if (name.starts_with("gradient"))
            result.activation_gradients += life.size;
        else
            result.workspace += life.size;
    }
    result.total = trained + result.activations + result.activation_gradients + result.workspace;

    const std::vector<double> bytes = alive(timeline);
    for (std::size_t moment = 0; moment < timeline.steps().size(); ++moment)
        if (const Bytes now = trained + Bytes(bytes[moment]); now > result.peak) {
            const Step& step = timeline.steps()[moment];
            result.peak = now;
            result.peak_at = fmt::format("{} {}", step.entry->layer.name, to_string(step.pass));
        }
    return result;
}

}  // namespace ridge
