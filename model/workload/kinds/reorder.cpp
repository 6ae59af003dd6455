// Copy of a tensor between two memory formats, driver "reorder": mb ic ih iw of an activation, or
// g oc ic kh kw of weights; the size is the product of what is given. Belongs to the pass of the
// layer that needs it.

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", default_mb);
    d.g = text.get("g", 1);
    d.oc = text.get("oc", 1);
    d.ic = text.at("ic");
    d.ih = text.get("ih", 1);
    d.iw = text.get("iw", d.ih);
    d.kh = text.get("kh", 1);
    d.kw = text.get("kw", d.kh);
    d.oh = d.ih, d.ow = d.iw;
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    std::string problem = fmt::format("mb{}", d.mb);
    const auto add = [&](const char* key, std::int64_t value, std::int64_t fallback) {
        if (value != fallback) problem += fmt::format("{}{}", key, value);
    };
    add("g", d.g, 1);
    add("oc", d.oc, 1);
    problem += fmt::format("ic{}", d.ic);
    add("ih", d.ih, 1);
    add("iw", d.iw, d.ih);
    add("kh", d.kh, 1);
    add("kw", d.kw, d.kh);
    return problem;
}

Flops flops(const Layer&, Pass, bool) {
    return Flops(0);
}

std::vector<TensorUse> tensors(const Layer& layer, Pass) {
    const Dims& d = layer.dims;
    const double elements = source_elements(layer) * static_cast<double>(d.g) *
                            static_cast<double>(d.oc) * static_cast<double>(d.kh) *
                            static_cast<double>(d.kw);
    return {tensor("src", elements, layer.dtype, Access::read),
            tensor("dst", elements, layer.dtype, Access::write)};
}

}  // namespace

Kind reorder_kind() {
    return {.kind = LayerKind::reorder,
            .read = read,
            .write = write,
            .passes = {Pass::forward},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = no_parameters,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input,
            .in_networks = false};
}

}  // namespace ridge::workload
