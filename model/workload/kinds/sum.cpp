// Element-wise sum of n inputs, driver "sum": mb ic ih iw or "8x256x56x56"; attribute inputs=n. Its
// backward hands the same gradient to every input and moves nothing.

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image_or_dimensions(text, layer);
    layer.inputs.assign(read_count(text, "inputs", 2), layer.dims.ic);
}

std::string write(const Layer& layer) {
    return write_image(layer) +
           (layer.inputs.size() == 2 ? "" : fmt::format(",inputs={}", layer.inputs.size()));
}

Flops flops(const Layer& layer, Pass, bool) {
    return Flops(static_cast<double>(layer.inputs.size() - 1) * source_elements(layer));
}

std::vector<TensorUse> tensors(const Layer& layer, Pass) {
    std::vector<TensorUse> list;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i)
        list.push_back(
            tensor(fmt::format("src{}", i), source_elements(layer), layer.dtype, Access::read));
    list.push_back(tensor("dst", source_elements(layer), layer.dtype, Access::write));
    return list;
}

}  // namespace

Kind sum_kind() {
    return {.kind = LayerKind::sum,
            .read = read,
            .write = write,
            .passes = {Pass::forward},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = no_parameters,
            .input = image_shape,
            .output = output_shape,
            .input_count = several_inputs};
}

}  // namespace ridge::workload
