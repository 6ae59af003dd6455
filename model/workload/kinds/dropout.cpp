// Dropout in training, driver "dropout": mb ic ih iw or "8x4096"; attributes ratio (dropped share),
// inplace. The mask is one byte per element, written forward and read backward.

#include <fmt/format.h>

#include <charconv>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image_or_dimensions(text, layer);
    layer.in_place = text.flag("inplace", false);
    if (const auto ratio = text.attribute("ratio")) {
        const char* end = ratio->data() + ratio->size();
        const auto [rest, error] = std::from_chars(ratio->data(), end, layer.drop_ratio);
        if (error != std::errc{} || rest != end || !(layer.drop_ratio >= 0) ||
            !(layer.drop_ratio < 1))
            throw text.wrong("ratio", "a share from 0 to below 1", "'" + *ratio + "'");
    }
}

std::string write(const Layer& layer) {
    std::string problem = write_image(layer);
    if (layer.drop_ratio != 0.5) problem += fmt::format(",ratio={}", layer.drop_ratio);
    return problem + (layer.in_place ? ",inplace=1" : "");
}

/// One product per element.
Flops flops(const Layer& layer, Pass, bool) {
    return Flops(source_elements(layer));
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const double elements = source_elements(layer);
    const DataType type = layer.dtype;
    const bool forward = pass == Pass::forward;
    std::vector<TensorUse> list{
        tensor("mask", elements, DataType::u8, forward ? Access::write : Access::read)};
    const std::string from = forward ? "src" : "diff_dst", to = forward ? "dst" : "diff_src";
    if (layer.in_place) {
        list.push_back(tensor(from, elements, type, Access::both));
    } else {
        list.push_back(tensor(from, elements, type, Access::read));
        list.push_back(tensor(to, elements, type, Access::write));
    }
    return list;
}

}  // namespace

Kind dropout_kind() {
    return {.kind = LayerKind::dropout,
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
