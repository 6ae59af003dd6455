// Softmax over the channels, driver "softmax": mb ic ih iw, or benchdnn's "256x1000"; attribute
// loss=1 adds the cross-entropy of training, whose gradient is then the backward pass.

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image_or_dimensions(text, layer);
    layer.loss = text.flag("loss", false);
}

std::string write(const Layer& layer) {
    return write_image(layer) + (layer.loss ? ",loss=1" : "");
}

/// Per element, forward: subtract the maximum, exponential, sum, scale = 4, and a logarithm and a
/// sum per image for the loss. Backward: with the loss p - y scaled by 1/mb = 2; without it the
/// product with the gradient, its sum, subtract, product = 4.
Flops flops(const Layer& layer, Pass pass, bool) {
    const double elements = source_elements(layer);
    const auto images = static_cast<double>(layer.dims.mb);
    if (pass == Pass::forward) return Flops(4 * elements + (layer.loss ? 2 * images : 0));
    return Flops((layer.loss ? 2.0 : 4.0) * elements);
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const double elements = source_elements(layer);
    const DataType type = layer.dtype;
    const TensorUse labels =
        tensor("labels", static_cast<double>(layer.dims.mb), DataType::s32, Access::read);
    std::vector<TensorUse> list;
    if (pass == Pass::forward) {
        list = {tensor("src", elements, type, Access::read),
                tensor("dst", elements, type, Access::write)};
    } else {
        list = {tensor("dst", elements, type, Access::read),
                tensor("diff_src", elements, type, Access::write)};
        if (!layer.loss) list.push_back(tensor("diff_dst", elements, type, Access::read));
    }
    if (layer.loss) list.push_back(labels);
    return list;
}

}  // namespace

Kind softmax_kind() {
    return {
        LayerKind::softmax, read,       write,     {Pass::forward, Pass::backward}, flops, tensors,
        no_parameters,      same_shape, same_shape};
}

}  // namespace ridge::workload
