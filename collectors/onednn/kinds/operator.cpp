#include "collectors/onednn/kinds/operator.hpp"

#include <fmt/format.h>

#include "collectors/step/plain_kernels.hpp"
#include "ridge/error.hpp"

namespace ridge::onednn {
namespace {

/// Images and gradients that nothing in the step computes: both signs, like normalised data.
constexpr step::Fill kGiven{-1.0F, 1.0F};

std::string where(const Layer& layer) {
    return fmt::format("layer '{}'", layer.name);
}

}  // namespace

std::string Operator::producer(std::size_t i) const {
    const std::string& name = net_.from.at(i);
    return builder_.is_layer(name) || inputs() == 1 ? name : fmt::format("{} {}", name, i);
}

std::string Operator::numbered(const std::string& role, std::size_t i) const {
    return inputs() > 1 ? role + std::to_string(i) : role;
}

MemoryDims Operator::arriving_dims(std::size_t i) const {
    const TensorId tensor = builder_.value(producer(i));
    if (tensor != no_tensor) return dims_of(builder_.memory().md(tensor));
    const Dims& d = dims();
    const bool concat = layer().kind == LayerKind::concat;
    const std::int64_t channels = concat ? layer().inputs.at(i) : d.ic;
    const bool image = d.ih != 1 || d.iw != 1 || layer().kind == LayerKind::convolution ||
                       layer().kind == LayerKind::pooling;
    return image ? MemoryDims{d.mb, channels, d.ih, d.iw} : MemoryDims{d.mb, channels};
}

Md Operator::arriving_md(std::size_t i, const MemoryDims& as) const {
    const TensorId tensor = builder_.value(producer(i));
    if (tensor == no_tensor)
        return builder_.library_input() ? blocked_md(as, type()) : plain_md(as, type());
    const Md md = builder_.memory().md(tensor);
    if (dims_of(md) == as) return md;
    const Md seen = md.reshape(as, true);
    return seen == Md() ? plain_md(as, type()) : seen;
}

/// An input of the whole network is made when its first reader asks for it: plain as a loader
/// delivers it, or right away in the format that the reader wants.
TensorId Operator::network_input(std::size_t i, const Md& wanted) {
    if (builder_.is_layer(producer(i)))
        throw bad_input(where(layer()), "its producers before it",
                        fmt::format("'{}' behind it", producer(i)));
    const TensorId tensor =
        memory().add(builder_.library_input() ? wanted : plain_md(dims_of(wanted), type()));
    memory().fill(tensor, kGiven);
    builder_.set_value(producer(i), tensor);
    return tensor;
}

TensorId Operator::source(std::size_t i, const Md& wanted, Pass pass) {
    TensorId tensor = builder_.value(producer(i));
    if (tensor == no_tensor) tensor = network_input(i, wanted);
    const std::string role = numbered("src", i);
    memory().name(layer().name, role, tensor);
    tensor = builder_.reshaped(tensor, dims_of(wanted), layer(), pass, role);
    return builder_.in_format(tensor, wanted, layer(), pass, role);
}

TensorId Operator::new_value(const Md& md) {
    const TensorId tensor = memory().add(md);
    set_value(tensor);
    return tensor;
}

void Operator::set_value(TensorId tensor) {
    memory().name(layer().name, "dst", tensor);
    builder_.set_value(layer().name, tensor);
}

Md Operator::arriving_gradient_md(const Md& fallback) const {
    const auto& arrived = builder_.gradients(layer().name);
    if (arrived.empty()) return fallback;
    const Md md = builder_.memory().md(arrived.front());
    if (dims_of(md) == dims_of(fallback)) return md;
    const Md seen = md.reshape(dims_of(fallback), true);
    return seen == Md() ? fallback : seen;
}

TensorId Operator::output_gradient(const Md& wanted, Pass pass) {
    const auto& arrived = builder_.gradients(layer().name);
    if (arrived.size() > 1)
        throw bad_input(where(layer()), "one reader, or a split layer behind it",
                        fmt::format("{} readers", arrived.size()));
    TensorId tensor = no_tensor;
    if (arrived.empty()) {
        tensor = memory().add(wanted);
        memory().fill(tensor, kGiven);
        builder_.add_gradient(layer().name, tensor);
    } else {
        tensor = arrived.front();
    }
    memory().name(layer().name, "diff_dst", tensor);
    tensor = builder_.reshaped(tensor, dims_of(wanted), layer(), pass, "diff_dst");
    return builder_.in_format(tensor, wanted, layer(), pass, "diff_dst");
}

TensorId Operator::new_input_gradient(std::size_t i, const Md& md) {
    const TensorId tensor = memory().add(md);
    send_gradient(i, tensor);
    return tensor;
}

void Operator::send_gradient(std::size_t i, TensorId gradient) {
    memory().name(layer().name, numbered("diff_src", i), gradient);
    builder_.add_gradient(producer(i), gradient);
}

TensorId Operator::parameter(const std::string& role, const Md& md, step::Fill fill) {
    const TensorId tensor = memory().add(md);
    memory().fill(tensor, fill);
    memory().name(layer().name, role, tensor);
    parameters_.push_back({role, tensor, no_tensor});
    return tensor;
}

TensorId Operator::parameter_gradient(const std::string& role, const Md& md) {
    const TensorId tensor = memory().add(md);
    memory().name(layer().name, "diff_" + role, tensor);
    for (Parameter& parameter : parameters_)
        if (parameter.role == role) parameter.gradient = tensor;
    return tensor;
}

void Operator::backward(Pass pass) {
    throw bad_input(where(layer()), fmt::format("passes of kind {}", to_string(layer().kind)),
                    to_string(pass));
}

/// One row for all parameters of the layer, on the memory as it lies there: weights, gradient and
/// momentum share the format of forward's weights, padding (zeros) included.
void Operator::update() {
    struct Trained {
        DataType type;
        TensorId value, gradient, momentum;
    };
    std::vector<Trained> trained;
    std::vector<Argument> arguments;
    for (const Parameter& p : parameters_) {
        if (p.gradient == no_tensor) continue;
        const Md md = memory().md(p.value);
        const TensorId gradient =
            builder_.in_format(p.gradient, md, layer(), Pass::update, "diff_" + p.role);
        const TensorId momentum = memory().add(md);
        const std::string momentum_role = p.role == "wei" ? "momentum" : "momentum_" + p.role;
        memory().name(layer().name, momentum_role, momentum);
        const bool bf16 = type_of(md) == dnnl::memory::data_type::bf16;
        trained.push_back({bf16 ? DataType::bf16 : DataType::f32, p.value, gradient, momentum});
        for (const auto& a :
             {Argument{0, p.value, p.role, false}, Argument{0, p.value, "", true},
              Argument{0, gradient, "diff_" + p.role, false},
              Argument{0, momentum, momentum_role, false}, Argument{0, momentum, "", true}})
            arguments.push_back(a);
    }
    if (trained.empty()) return;
    const step::Sgd sgd{static_cast<float>(builder_.options().learning_rate),
                        static_cast<float>(builder_.options().momentum)};
    row(Pass::update)
        .plain(step::plain_implementation("sgd momentum"), arguments,
               [m = &memory(), trained = std::move(trained), sgd] {
                   for (const Trained& t : trained)
                       step::sgd_momentum(t.type, m->data(t.value), m->data(t.gradient),
                                          m->data(t.momentum), m->padded_elements(t.value), sgd);
               });
}

void Operator::check_in_place() const {
    const std::string& name = net_.from.at(0);
    if (!builder_.exclusive(name))
        throw bad_input(where(layer()), "inplace only where no other layer reads the input",
                        fmt::format("'{}' with several readers", name));
    if (builder_.needs_own_value(name))
        throw bad_input(where(layer()),
                        "inplace only where the layer before needs its output no "
                        "more",
                        fmt::format("'{}', whose backward pass reads it", name));
}

void Operator::invent_value() {
    const Dims& d = dims();
    const bool image = d.oh != 1 || d.ow != 1;
    const TensorId tensor = new_value(
        plain_md(image ? MemoryDims{d.mb, d.oc, d.oh, d.ow} : MemoryDims{d.mb, d.oc}, type()));
    memory().fill(tensor, kGiven);
}

void Operator::invent_gradients() {
    for (std::size_t i = 0; i < inputs(); ++i) {
        const TensorId value = builder_.value(producer(i));
        if (value == no_tensor) continue;
        const TensorId tensor =
            new_input_gradient(i, plain_md(dims_of(memory().md(value)), type()));
        memory().fill(tensor, kGiven);
    }
}

}  // namespace ridge::onednn
