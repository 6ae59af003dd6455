// An operation that Ridgepoint has no model of, driver "other": mb ic ih iw of what it reads, oc oh
// ow of what it writes (default: the same); attribute op=NAME. Its arithmetic is unknown and counts
// nothing; each byte of its tensors moves once.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image(text, layer);
    Dims& d = layer.dims;
    d.oc = text.get("oc", d.ic);
    d.oh = text.get("oh", d.ih);
    d.ow = text.get("ow", text.find("oh") ? d.oh : d.iw);
    layer.operation = text.attribute("op").value_or("unknown");
    const bool plain = std::all_of(
        layer.operation.begin(), layer.operation.end(),
        [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; });
    if (!plain || layer.operation.empty())
        throw text.wrong("op", "letters, digits, '_', '.' and '-'", "'" + layer.operation + "'");
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    std::string problem = write_image(layer);
    if (d.oc != d.ic) problem += fmt::format("oc{}", d.oc);
    if (d.oh != d.ih || d.ow != d.iw) problem += fmt::format("oh{}ow{}", d.oh, d.ow);
    return problem + ",op=" + layer.operation;
}

Flops flops(const Layer&, Pass, bool) {
    return Flops(0);
}

/// The gradient of an unknown operation reads at least the output's and writes the input's.
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const double src = source_elements(layer), dst = destination_elements(layer);
    if (pass == Pass::forward)
        return {tensor("src", src, layer.dtype, Access::read),
                tensor("dst", dst, layer.dtype, Access::write)};
    return {tensor("diff_dst", dst, layer.dtype, Access::read),
            tensor("diff_src", src, layer.dtype, Access::write)};
}

}  // namespace

Kind other_kind() {
    return {.kind = LayerKind::other,
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
