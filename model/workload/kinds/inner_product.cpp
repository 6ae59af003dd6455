// Inner product (fully connected), driver "ip": mb ic ih iw oc; the input is flattened.

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", default_mb);
    d.ic = text.at("ic");
    d.ih = text.get("ih", 1);
    d.iw = text.get("iw", d.ih);
    d.oc = text.at("oc");
    layer.bias = text.flag("bias", true);
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    return fmt::format("mb{}ic{}{}oc{}{}", d.mb, d.ic, write_extents(layer), d.oc,
                       layer.bias ? "" : ",bias=0");
}

double weight_elements(const Layer& layer) {
    const Dims& d = layer.dims;
    return static_cast<double>(d.oc) * static_cast<double>(d.ic) * static_cast<double>(d.ih) *
           static_cast<double>(d.iw);
}

std::int64_t parameter_count(const Layer& layer) {
    return static_cast<std::int64_t>(weight_elements(layer)) + (layer.bias ? layer.dims.oc : 0);
}

Flops flops(const Layer& layer, Pass pass, bool) {
    if (pass == Pass::update) return update_flops(parameter_count(layer));
    return Flops(2.0 * static_cast<double>(layer.dims.mb) * weight_elements(layer));
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const DataType type = layer.dtype;
    const double src = source_elements(layer), wei = weight_elements(layer),
                 bias = static_cast<double>(layer.dims.oc),
                 dst = static_cast<double>(layer.dims.mb) * bias;
    std::vector<TensorUse> list;
    switch (pass) {
        case Pass::forward:
            list = {tensor("src", src, type, Access::read), tensor("wei", wei, type, Access::read),
                    tensor("dst", dst, type, Access::write)};
            if (layer.bias) list.push_back(tensor("bias", bias, type, Access::read));
            return list;
        case Pass::backward_data:
            return {tensor("diff_dst", dst, type, Access::read),
                    tensor("wei", wei, type, Access::read),
                    tensor("diff_src", src, type, Access::write)};
        case Pass::backward_weights:
            list = {tensor("src", src, type, Access::read),
                    tensor("diff_dst", dst, type, Access::read),
                    tensor("diff_wei", wei, type, Access::write)};
            if (layer.bias) list.push_back(tensor("diff_bias", bias, type, Access::write));
            return list;
        case Pass::update:
            return update_tensors(parameter_count(layer), type);
        case Pass::backward:
            break;
    }
    return list;
}

}  // namespace

Kind inner_product_kind() {
    return {.kind = LayerKind::inner_product,
            .read = read,
            .write = write,
            .passes = {Pass::forward, Pass::backward_data, Pass::backward_weights, Pass::update},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = parameter_count,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input};
}

}  // namespace ridge::workload
