// Concatenation along the channels, driver "concat": mb ih iw; attribute inputs=64+128+32 (channels
// of each input). Backward copies each slice of the gradient.

#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", 1);
    d.ih = text.get("ih", 1);
    d.iw = text.get("iw", d.ih);
    const auto list = text.attribute("inputs");
    if (!list) throw text.wrong("inputs", "the channels of each input, as in inputs=64+32", "none");
    const char* at = list->data();
    const char* end = at + list->size();
    while (true) {
        std::int64_t channels = 0;
        const auto [rest, error] = std::from_chars(at, end, channels);
        if (error != std::errc{} || channels < 1 || channels > 1'000'000'000 ||
            (rest != end && *rest != '+') || layer.inputs.size() >= 1024)
            throw text.wrong("inputs", "channels such as 64+32", "'" + *list + "'");
        layer.inputs.push_back(channels);
        if (rest == end) break;
        at = rest + 1;
    }
    d.ic = std::accumulate(layer.inputs.begin(), layer.inputs.end(), std::int64_t{0});
    d.oc = d.ic, d.oh = d.ih, d.ow = d.iw;
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    std::string problem = fmt::format("mb{}ih{}", d.mb, d.ih);
    if (d.iw != d.ih) problem += fmt::format("iw{}", d.iw);
    return problem + fmt::format(",inputs={}", fmt::join(layer.inputs, "+"));
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

}  // namespace

Kind concat_kind() {
    return {
        LayerKind::concat, read,       write,     {Pass::forward, Pass::backward}, flops, tensors,
        no_parameters,     same_shape, same_shape};
}

}  // namespace ridge::workload
