#include "collectors/onednn/builder.hpp"

#include <fmt/format.h>

#include "collectors/onednn/formats.hpp"
#include "collectors/step/available_memory.hpp"
#include "ridge/error.hpp"

namespace ridge::onednn {
namespace {

/// The copy as a layer of its own: weights have oc and kernel sizes, activations an image.
Layer reorder_layer(const Md& md, const Layer& layer, bool weights) {
    Layer reorder;
    reorder.kind = LayerKind::reorder;
    reorder.dtype = layer.dtype;
    const MemoryDims dims = dims_of(md);
    const auto size = [&](std::size_t i) { return i < dims.size() ? dims[i] : 1; };
    Dims& d = reorder.dims;
    if (weights) {
        const std::size_t g = dims.size() == 5 ? 1 : 0;  // goihw has the group in front
        d.g = g == 1 ? size(0) : 1;
        d.oc = size(g), d.ic = size(g + 1), d.kh = size(g + 2), d.kw = size(g + 3);
    } else {
        d.mb = size(0), d.ic = size(1), d.ih = size(2), d.iw = size(3);
        d.oc = 1, d.oh = d.ih, d.ow = d.iw;
    }
    return reorder;
}

}  // namespace

Builder::Builder(const Network& network, const StepOptions& options)
    : network_(network),
      options_(options),
      library_input_(
          options.input_format == InputFormat::library ||
          (options.input_format == InputFormat::automatic && network.layers.size() == 1)),
      memory_(std::make_shared<Memory>(options.seed)) {
    context_.engine = memory_->engine();
    context_.attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    for (const NetworkLayer& layer : network.layers) {
        layers_[layer.layer.name] = &layer.layer;
        for (const std::string& producer : layer.from) ++consumers_[producer];
    }
}

Row& Builder::row(const Layer& layer, Pass pass, std::string part) {
    Measurement description;
    description.key = {layer.name, pass, std::move(part)};
    description.ordinal = static_cast<int>(rows_.size());
    description.kind = layer.kind;
    description.problem = to_line(layer);
    description.dtype = layer.dtype;
    return rows_.emplace_back(memory_, std::move(description));
}

TensorId Builder::in_format(TensorId tensor, const Md& wanted, const Layer& layer, Pass pass,
                            const std::string& role) {
    const Md have = memory_->md(tensor);
    if (have == wanted) return tensor;
    if (same_memory(have, wanted)) return memory_->view(tensor, wanted);
    for (const auto& [original, copy] : copies_)
        if (original == tensor && memory_->md(copy) == wanted) return copy;

    const auto pd = create([&] {
        return dnnl::reorder::primitive_desc(context_.engine, have, context_.engine, wanted,
                                             context_.attr);
    });
    const TensorId copy = memory_->add(wanted);
    Layer reorder = reorder_layer(have, layer, role.ends_with("wei"));
    reorder.name = layer.name;
    row(reorder, pass, "reorder " + role)
        .primitive(pd, {{DNNL_ARG_FROM, tensor, "src", false}, {DNNL_ARG_TO, copy, "dst", true}});
    copies_.emplace_back(tensor, copy);
    return copy;
}

TensorId Builder::reshaped(TensorId tensor, const MemoryDims& dims, const Layer& layer, Pass pass,
                           const std::string& role) {
    const Md have = memory_->md(tensor);
    if (dims_of(have) == dims) return tensor;
    const Md plain = plain_md(dims_of(have), type_of(have));
    // A blocked image with one pixel is a vector of channels already; anything else must first be
    // in the order in which the elements are counted.
    Md seen = have.reshape(dims, true);
    if (seen == Md()) {
        tensor = in_format(tensor, plain, layer, pass, role);
        seen = plain.reshape(dims);
    }
    return memory_->view(tensor, seen);
}

TensorId Builder::value(const std::string& producer) const {
    const auto found = values_.find(producer);
    return found == values_.end() ? no_tensor : found->second;
}

void Builder::set_value(const std::string& producer, TensorId tensor) {
    values_[producer] = tensor;
}

bool Builder::exclusive(const std::string& producer) const {
    const auto found = consumers_.find(producer);
    return found != consumers_.end() && found->second == 1;
}

bool Builder::needs_own_value(const std::string& name) const {
    const auto found = layers_.find(name);
    if (found == layers_.end()) return false;
    const Layer& layer = *found->second;
    return layer.kind == LayerKind::softmax ||
           (layer.kind == LayerKind::eltwise && layer.algorithm != Algorithm::relu);
}

const std::vector<TensorId>& Builder::gradients(const std::string& producer) const {
    static const std::vector<TensorId> none;
    const auto found = gradients_.find(producer);
    return found == gradients_.end() ? none : found->second;
}

void Builder::add_gradient(const std::string& producer, TensorId tensor) {
    gradients_[producer].push_back(tensor);
}

void Builder::unavailable(const Layer& layer, Pass pass, std::string reason) {
    unavailable_.emplace_back(RowKey{layer.name, pass, ""}, std::move(reason));
}

TrainingStep Builder::finish() {
    step::require_memory(fmt::format("network {}, batch {}", network_.name, network_.batch),
                         memory_->planned() + memory_->scratchpad() + memory_->staging(),
                         step::available_memory());
    memory_->allocate(options_.threads);
    TrainingStep result;
    result.memory = memory_;
    result.tensors = memory_->planned() - memory_->scratchpad();
    result.scratchpad = memory_->scratchpad();
    result.library = "onednn";
    result.library_version = library_version();
    result.library_isa = library_isa();
    result.unavailable = std::move(unavailable_);
    for (Row& row : rows_) result.kernels.push_back(row.start());
    return result;
}

}  // namespace ridge::onednn
