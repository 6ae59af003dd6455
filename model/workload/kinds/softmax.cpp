// Softmax over the channels, driver "softmax": mb ic ih iw, or benchdnn's "256x1000"; attribute
// loss=1 adds the cross-entropy of training, whose gradient is then the backward pass.

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image_or_dimensions(text, layer);
    layer.loss = text.flag("loss", false);
    if (layer.loss && (layer.dims.ih != 1 || layer.dims.iw != 1))
        throw text.wrong("loss", "one distribution per image (ih1iw1)",
                         fmt::format("ih{}iw{}", layer.dims.ih, layer.dims.iw));
}

std::string write(const Layer& layer) {
    return write_image(layer) + (layer.loss ? ",loss=1" : "");
}

/// Per element, forward: subtract the maximum, exponential, sum, quotient = 4 (comparisons are no
/// FLOP), and a logarithm and a sum per distribution for the loss. Backward with the loss,
/// (p - y)/mb: one product per element and one subtraction per distribution; without it the product
/// with the gradient, its sum, subtract, product = 4.
Flops flops(const Layer& layer, Pass pass, bool) {
    const double elements = source_elements(layer);
    const double distributions = elements / static_cast<double>(layer.dims.ic);
    if (pass == Pass::forward) return Flops(4 * elements + (layer.loss ? 2 * distributions : 0));
    return Flops(layer.loss ? elements + distributions : 4 * elements);
}

/// The labels are one s32 per distribution.
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const double elements = source_elements(layer);
    const DataType type = layer.dtype;
    const TensorUse labels = tensor("labels", elements / static_cast<double>(layer.dims.ic),
                                    DataType::s32, Access::read);
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
    return {.kind = LayerKind::softmax,
            .read = read,
            .write = write,
            .passes = {Pass::forward, Pass::backward},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = no_parameters,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input};
}

}  // namespace ridge::workload
