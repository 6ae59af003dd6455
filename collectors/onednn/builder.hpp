// Wires the rows of a training step: which tensor each layer reads and writes, in which format it
// arrives, and where a reorder is needed. The kinds (kinds/*.cpp) ask it for tensors and hand it
// rows; it knows nothing of what they compute.
//
// Gradients arrive at a layer under its name from its consumers, in reverse order. A sum hands the
// same gradient to all its inputs; such a shared gradient is never overwritten in place.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectors/onednn/row.hpp"
#include "collectors/onednn/step_memory.hpp"
#include "collectors/onednn/version.hpp"
#include "ridge/kernel.hpp"
#include "ridge/network.hpp"

namespace ridge::onednn {

class Builder {
public:
    Builder(const Network& network, const StepOptions& options);

    [[nodiscard]] const Context& context() const { return context_; }
    [[nodiscard]] const StepOptions& options() const { return options_; }
    [[nodiscard]] Memory& memory() { return *memory_; }
    [[nodiscard]] std::shared_ptr<Memory> shared_memory() const { return memory_; }

    /// A new row in execution order; `part` as in RowKey. The reference stays valid.
    Row& row(const Layer& layer, Pass pass, std::string part = {});

    /// `tensor` in the format `wanted`: itself, or a copy made by a row of its own ("reorder
    /// ROLE"). Copies are kept for the rest of the step: a second request finds the first one's.
    TensorId in_format(TensorId tensor, const Md& wanted, const Layer& layer, Pass pass,
                       const std::string& role);
    /// `tensor` with other dimensions of the same number of elements, in row-major order; reorders
    /// when its format cannot be looked at that way.
    TensorId reshaped(TensorId tensor, const MemoryDims& dims, const Layer& layer, Pass pass,
                      const std::string& role);

    /// False for the network's input ("data").
    [[nodiscard]] bool is_layer(const std::string& name) const { return layers_.contains(name); }
    /// True for layers whose backward pass reads their own output: softmax, tanh, logistic. (ReLU
    /// reads it too, but only its sign, which no in-place kernel changes.)
    [[nodiscard]] bool needs_own_value(const std::string& name) const;

    /// What `producer` left; no_tensor before the first set_value.
    [[nodiscard]] TensorId value(const std::string& producer) const;
    void set_value(const std::string& producer, TensorId tensor);
    /// True when the network's input comes in the library's own format.
    [[nodiscard]] bool library_input() const { return library_input_; }
    /// True when only one layer reads what `producer` left: it may be overwritten.
    [[nodiscard]] bool exclusive(const std::string& producer) const;
    [[nodiscard]] bool read_by_layers(const std::string& producer) const {
        return consumers_.contains(producer);
    }

    [[nodiscard]] const std::vector<TensorId>& gradients(const std::string& producer) const;
    void add_gradient(const std::string& producer, TensorId tensor);
    void share_gradient(TensorId tensor) { shared_.insert(memory_->slot(tensor)); }
    [[nodiscard]] bool shared_gradient(TensorId tensor) const {
        return shared_.contains(memory_->slot(tensor));
    }

    void unavailable(const Layer& layer, Pass pass, std::string reason);
    /// Checks the memory, maps it, makes the kernels and runs the step once.
    TrainingStep finish();

private:
    const Network& network_;
    StepOptions options_;
    bool library_input_;
    std::shared_ptr<Memory> memory_;
    Context context_;
    std::deque<Row> rows_;
    std::map<std::string, TensorId> values_;
    std::map<std::string, std::vector<TensorId>> gradients_;
    std::map<std::string, int> consumers_;
    std::map<std::string, const Layer*> layers_;
    std::set<int> shared_;
    std::vector<std::pair<TensorId, TensorId>> copies_;  ///< (original, copy in another format)
    std::vector<std::pair<RowKey, std::string>> unavailable_;
};

}  // namespace ridge::onednn
