// One layer of the step while it is being built. A kind derives from Operator, in a file of its
// own, and stands in the table of operators.cpp. To add a kind: a class, a line in that table, a
// test against the naive reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectors/onednn/builder.hpp"
#include "collectors/onednn/formats.hpp"
#include "ridge/network.hpp"

namespace ridge::onednn {

class Operator {
public:
    Operator(Builder& builder, const NetworkLayer& layer) : builder_(builder), net_(layer) {}
    virtual ~Operator() = default;
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;

    // Each creates its primitive descriptor before it asks for tensors, so that a kernel that the
    // library lacks (dnnl::error) leaves nothing behind.

    /// Adds the rows of the forward pass and sets the layer's value.
    virtual void forward() = 0;
    /// Adds the rows of one backward pass.
    virtual void backward(Pass pass);
    /// Hands gradients on where that needs no work; called after the backward passes.
    virtual void propagate() {}
    /// Adds the rows of the update of all parameters.
    void update();

    /// Stand-ins when the library has no kernel: values of the right shape for what follows.
    void invent_value();
    void invent_gradients();

protected:
    [[nodiscard]] const Layer& layer() const { return net_.layer; }
    [[nodiscard]] const Dims& dims() const { return net_.layer.dims; }
    [[nodiscard]] std::size_t inputs() const { return net_.from.size(); }
    [[nodiscard]] Builder& builder() { return builder_; }
    [[nodiscard]] Memory& memory() { return builder_.memory(); }
    [[nodiscard]] const Context& context() const { return builder_.context(); }
    [[nodiscard]] dnnl::memory::data_type type() const { return to_dnnl(layer().dtype); }
    [[nodiscard]] Row& row(Pass pass) { return builder_.row(layer(), pass); }

    /// Under what the builder keeps input `i`: the layer that makes it, or the network's input.
    /// Several network inputs of one layer are tensors of their own.
    [[nodiscard]] std::string producer(std::size_t i) const;
    /// Dimensions in which input `i` arrives; those of the layer when it is the network's input.
    [[nodiscard]] MemoryDims arriving_dims(std::size_t i) const;
    /// Format in which input `i` arrives, looked at as `as`.
    [[nodiscard]] Md arriving_md(std::size_t i, const MemoryDims& as) const;
    [[nodiscard]] Md arriving_md(std::size_t i) const { return arriving_md(i, arriving_dims(i)); }
    /// Input `i` in `wanted`; adds reorders to `pass` where needed.
    TensorId source(std::size_t i, const Md& wanted, Pass pass);
    /// A new output tensor, which becomes the layer's value.
    TensorId new_value(const Md& md);
    void set_value(TensorId tensor);

    /// The gradient of this layer's output in `wanted`; invented when no consumer sends one.
    TensorId output_gradient(const Md& wanted, Pass pass);
    /// Format in which the gradient arrives; `fallback` when none does, or when it must be
    /// reordered to be looked at in the dimensions of `fallback`.
    [[nodiscard]] Md arriving_gradient_md(const Md& fallback) const;
    /// A new gradient of input `i`, handed to its producer.
    TensorId new_input_gradient(std::size_t i, const Md& md);
    void send_gradient(std::size_t i, TensorId gradient);

    /// A parameter that update() trains, and its starting values.
    TensorId parameter(const std::string& role, const Md& md, step::Fill fill);
    /// The gradient of the parameter `role`, in the format in which backward makes it.
    TensorId parameter_gradient(const std::string& role, const Md& md);

    /// Name of an input or its gradient among several: "src0", "src1"...; "src" for a single one.
    [[nodiscard]] std::string numbered(const std::string& role, std::size_t i) const;
    /// Throws Error bad_input when input 0 must not be overwritten.
    void check_in_place() const;

private:
    struct Parameter {
        std::string role;
        TensorId value = no_tensor, gradient = no_tensor;
    };
    TensorId network_input(std::size_t i, const Md& wanted);

    Builder& builder_;
    const NetworkLayer& net_;
    std::vector<Parameter> parameters_;
};

/// The operator of a layer's kind.
[[nodiscard]] std::unique_ptr<Operator> make_operator(Builder& builder, const NetworkLayer& layer);

// One per file in kinds/.
std::unique_ptr<Operator> make_convolution(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_inner_product(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_matmul(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_pooling(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_batch_normalization(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_lrn(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_eltwise(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_softmax(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_sum(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_concat(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_split(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_dropout(Builder&, const NetworkLayer&);
std::unique_ptr<Operator> make_reorder(Builder&, const NetworkLayer&);

}  // namespace ridge::onednn
