// Batch normalization in training, driver "bnorm": mb ic ih iw. Statistics over mb, ih, iw; scale
// and shift per channel.

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

std::int64_t parameter_count(const Layer& layer) {
    return 2 * layer.dims.ic;
}

/// Per element, forward: mean 1; variance 3 (subtract, multiply-add); output 3 (subtract,
/// multiply-add with scale/deviation and shift). Backward: shift gradient 1; scale gradient 3
/// (subtract, multiply-add); input gradient 5 (subtract, multiply-add, subtract, multiply).
Flops flops(const Layer& layer, Pass pass, bool) {
    if (pass == Pass::update) return update_flops(parameter_count(layer));
    return Flops((pass == Pass::forward ? 7.0 : 9.0) * source_elements(layer));
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const DataType type = layer.dtype;
    const double elements = source_elements(layer), channels = static_cast<double>(layer.dims.ic);
    if (pass == Pass::update) return update_tensors(parameter_count(layer), DataType::f32);
    if (pass == Pass::forward)
        return {tensor("src", elements, type, Access::read),
                tensor("scale_shift", 2 * channels, DataType::f32, Access::read),
                tensor("dst", elements, type, Access::write),
                tensor("mean", channels, DataType::f32, Access::write),
                tensor("variance", channels, DataType::f32, Access::write)};
    return {tensor("src", elements, type, Access::read),
            tensor("diff_dst", elements, type, Access::read),
            tensor("scale_shift", 2 * channels, DataType::f32, Access::read),
            tensor("mean", channels, DataType::f32, Access::read),
            tensor("variance", channels, DataType::f32, Access::read),
            tensor("diff_src", elements, type, Access::write),
            tensor("diff_scale_shift", 2 * channels, DataType::f32, Access::write)};
}

}  // namespace

Kind batch_normalization_kind() {
    return {.kind = LayerKind::batch_normalization,
            .read = read_image,
            .write = write_image,
            .passes = {Pass::forward, Pass::backward, Pass::update},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = parameter_count,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input};
}

}  // namespace ridge::workload
