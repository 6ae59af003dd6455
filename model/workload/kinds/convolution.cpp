// Convolution, driver "conv": mb g ic ih iw oc oh ow kh kw sh sw dh dw ph pw; attributes bias,
// dtype, asymmetric (1: more padding behind than before, or whole windows of it, as the sizes say).
// ic and oc are totals over the groups.

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", default_mb);
    d.g = text.get("g", 1);
    d.ic = text.at("ic");
    d.oc = text.at("oc");
    if (d.ic % d.g != 0)
        throw text.wrong("ic", fmt::format("a multiple of the {} groups", d.g),
                         fmt::format("{}", d.ic));
    if (d.oc % d.g != 0)
        throw text.wrong("oc", fmt::format("a multiple of the {} groups", d.g),
                         fmt::format("{}", d.oc));
    read_windows(text, layer,
                 text.flag("asymmetric", false) ? Rounding::beyond : Rounding::floor_or_same);
    layer.bias = text.flag("bias", true);
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    std::string problem = fmt::format("mb{}", d.mb);
    if (d.g != 1) problem += fmt::format("g{}", d.g);
    problem += fmt::format("ic{}oc{}{}", d.ic, d.oc, write_windows(layer));
    if (!layer.bias) problem += ",bias=0";
    const bool usual =
        is_floor_or_same(height_window(layer)) && is_floor_or_same(width_window(layer));
    return problem + (usual ? "" : ",asymmetric=1");
}

double weight_elements(const Layer& layer) {
    const Dims& d = layer.dims;
    return static_cast<double>(d.oc) * static_cast<double>(d.ic / d.g) * static_cast<double>(d.kh) *
           static_cast<double>(d.kw);
}

std::int64_t parameter_count(const Layer& layer) {
    return static_cast<std::int64_t>(weight_elements(layer)) + (layer.bias ? layer.dims.oc : 0);
}

Flops flops(const Layer& layer, Pass pass, bool padding_taps) {
    if (pass == Pass::update) return update_flops(parameter_count(layer));
    const Dims& d = layer.dims;
    const Window h = height_window(layer), w = width_window(layer);
    const auto taps = [&](const Window& window) {
        return static_cast<double>(padding_taps ? window.k * window.o : taps_inside(window));
    };
    return Flops(2.0 * static_cast<double>(d.mb) * static_cast<double>(d.oc) *
                 static_cast<double>(d.ic / d.g) * taps(h) * taps(w));
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const DataType type = layer.dtype;
    const double src = source_elements(layer), dst = destination_elements(layer),
                 wei = weight_elements(layer), bias = static_cast<double>(layer.dims.oc);
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

/// A stride larger than the kernel skips source elements; a kernel larger than the padded image
/// has taps that meet padding only. What the pass writes it writes whole, zeros included.
Bytes minimum_bytes(const Layer& layer, Pass pass) {
    if (pass == Pass::update) return every_element_once(layer, pass);
    const Window h = height_window(layer), w = width_window(layer);
    const auto share = [](std::int64_t a, std::int64_t of_a, std::int64_t b, std::int64_t of_b) {
        return static_cast<double>(a * b) / static_cast<double>(of_a * of_b);
    };
    return least_traffic(ridge::tensors(layer, pass),
                         share(touched_inputs(h), h.i, touched_inputs(w), w.i),
                         share(used_taps(h), h.k, used_taps(w), w.k));
}

}  // namespace

Kind convolution_kind() {
    return {.kind = LayerKind::convolution,
            .read = read,
            .write = write,
            .passes = {Pass::forward, Pass::backward_data, Pass::backward_weights, Pass::update},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = minimum_bytes,
            .parameters = parameter_count,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input};
}

}  // namespace ridge::workload
