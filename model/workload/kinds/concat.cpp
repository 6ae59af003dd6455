// Concatenation along the channels, driver "concat": mb ih iw and attribute inputs=64+128 (channels
// of each input), or benchdnn's "8x64x28x28:8x128x28x28". Backward copies each slice of the
// gradient.

#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

constexpr std::size_t most_inputs = 1024;

/// Sets dims and the channels of each input from one list of sizes per input.
void read_lists(ProblemReader& text, Layer& layer) {
    constexpr const char* form = "inputs that differ in channels only, as in 8x64x28x28:8x32x28x28";
    const auto lists = read_dimensions(text, form);
    for (const auto& sizes : lists) {
        Layer input;
        set_image(text, input, sizes);
        layer.inputs.push_back(input.dims.ic);
        if (layer.inputs.size() == 1) layer.dims = input.dims;
        input.dims.ic = input.dims.oc = layer.dims.ic;
        if (input.dims != layer.dims || layer.inputs.size() > most_inputs)
            throw text.wrong("sizes", form, "'" + text.dimensions() + "'");
    }
}

void read_channels(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", default_mb);
    d.ih = d.oh = text.get("ih", 1);
    d.iw = d.ow = text.get("iw", d.ih);
    const auto list = text.attribute("inputs");
    if (!list) throw text.wrong("inputs", "the channels of each input, as in inputs=64+32", "none");
    const char* at = list->data();
    const char* end = at + list->size();
    while (true) {
        std::int64_t channels = 0;
        const auto [rest, error] = std::from_chars(at, end, channels);
        if (error != std::errc{} || channels < 1 || channels > largest_dimension ||
            (rest != end && *rest != '+') || layer.inputs.size() >= most_inputs)
            throw text.wrong("inputs", "channels such as 64+32", "'" + *list + "'");
        layer.inputs.push_back(channels);
        if (rest == end) return;
        at = rest + 1;
    }
}

void read(ProblemReader& text, Layer& layer) {
    if (text.dimensions().empty())
        read_channels(text, layer);
    else
        read_lists(text, layer);
    layer.dims.ic = layer.dims.oc =
        std::accumulate(layer.inputs.begin(), layer.inputs.end(), std::int64_t{0});
}

std::string write(const Layer& layer) {
    return fmt::format("mb{}{},inputs={}", layer.dims.mb, write_extents(layer),
                       fmt::join(layer.inputs, "+"));
}

Flops flops(const Layer&, Pass, bool) {
    return Flops(0);
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const bool forward = pass == Pass::forward;
    const double image = static_cast<double>(layer.dims.mb) * static_cast<double>(layer.dims.ih) *
                         static_cast<double>(layer.dims.iw);
    std::vector<TensorUse> list;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i)
        list.push_back(tensor(fmt::format("{}{}", forward ? "src" : "diff_src", i),
                              image * static_cast<double>(layer.inputs[i]), layer.dtype,
                              forward ? Access::read : Access::write));
    list.push_back(tensor(forward ? "dst" : "diff_dst", source_elements(layer), layer.dtype,
                          forward ? Access::write : Access::read));
    return list;
}

Shape input(const Layer& layer, std::size_t index) {
    return {layer.inputs[index], layer.dims.ih, layer.dims.iw};
}

}  // namespace

Kind concat_kind() {
    return {.kind = LayerKind::concat,
            .read = read,
            .write = write,
            .passes = {Pass::forward, Pass::backward},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = no_parameters,
            .input = input,
            .output = output_shape,
            .input_count = several_inputs};
}

}  // namespace ridge::workload
