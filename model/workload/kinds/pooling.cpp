// Pooling, driver "pool": mb ic ih iw oh ow kh kw sh sw dh dw ph pw; attribute
// alg=max|avg_np|avg_p (averages without or with the padding in the divisor, benchdnn's words),
// asymmetric (1: windows of nothing but padding, or an end that stays unread, as the sizes say).

#include <fmt/format.h>

#include <array>
#include <utility>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

constexpr std::array<std::pair<Algorithm, std::string_view>, 3> algorithms{
    {{Algorithm::max, "max"},
     {Algorithm::avg_exclude_padding, "avg_np"},
     {Algorithm::avg_include_padding, "avg_p"}}};

void read(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", default_mb);
    d.ic = text.at("ic");
    d.oc = d.ic;
    read_windows(text, layer, text.flag("asymmetric", false) ? Rounding::beyond : Rounding::any);
    const std::string word = text.attribute("alg").value_or("max");
    for (const auto& [algorithm, name] : algorithms)
        if (name == word) layer.algorithm = algorithm;
    if (layer.algorithm == Algorithm::none)
        throw text.wrong("alg", "max, avg_np or avg_p", "'" + word + "'");
}

std::string write(const Layer& layer) {
    std::string problem =
        fmt::format("mb{}ic{}{}", layer.dims.mb, layer.dims.ic, write_windows(layer));
    for (const auto& [algorithm, name] : algorithms)
        if (algorithm == layer.algorithm && algorithm != Algorithm::max)
            problem += fmt::format(",alg={}", name);
    const bool usual = stays_on_image(height_window(layer)) && stays_on_image(width_window(layer));
    return problem + (usual ? "" : ",asymmetric=1");
}

/// An average adds its taps (one less than it has) and scales the sum; backward scales each
/// output's gradient and adds it to every tap's input, where the first to arrive needs no addition.
/// A maximum compares, which is no FLOP; backward adds each output's gradient to the input that
/// won. With padding in the divisor the padding's zeros are still not added.
Flops flops(const Layer& layer, Pass pass, bool padding_taps) {
    const double outputs = destination_elements(layer);
    if (layer.algorithm == Algorithm::max) return Flops(pass == Pass::forward ? 0 : outputs);
    const Window h = height_window(layer), w = width_window(layer);
    const auto taps = [&](const Window& window) {
        return static_cast<double>(padding_taps ? window.k * window.o : taps_inside(window));
    };
    const double images = static_cast<double>(layer.dims.mb) * static_cast<double>(layer.dims.ic);
    const double additions = images * taps(h) * taps(w);
    if (pass == Pass::forward) return Flops(additions);
    return Flops(additions + outputs -
                 images * static_cast<double>(touched_inputs(h) * touched_inputs(w)));
}

/// Training keeps, for each output of a maximum, which tap won: one byte, four for kernels of more
/// than 255 taps (as oneDNN chooses).
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const DataType index = layer.dims.kh * layer.dims.kw <= 255 ? DataType::u8 : DataType::s32;
    const double src = source_elements(layer), dst = destination_elements(layer);
    const bool forward = pass == Pass::forward;
    std::vector<TensorUse> list =
        forward ? std::vector{tensor("src", src, layer.dtype, Access::read),
                              tensor("dst", dst, layer.dtype, Access::write)}
                : std::vector{tensor("diff_dst", dst, layer.dtype, Access::read),
                              tensor("diff_src", src, layer.dtype, Access::write)};
    if (layer.algorithm == Algorithm::max)
        list.push_back(tensor("ws", dst, index, forward ? Access::write : Access::read));
    return list;
}

/// A stride larger than the kernel skips source elements.
Bytes minimum_bytes(const Layer& layer, Pass pass) {
    const Window h = height_window(layer), w = width_window(layer);
    const double share =
        static_cast<double>(touched_inputs(h) * touched_inputs(w)) / static_cast<double>(h.i * w.i);
    return least_traffic(ridge::tensors(layer, pass), share, 1);
}

}  // namespace

Kind pooling_kind() {
    return {.kind = LayerKind::pooling,
            .read = read,
            .write = write,
            .passes = {Pass::forward, Pass::backward},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = minimum_bytes,
            .parameters = no_parameters,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input};
}

}  // namespace ridge::workload
