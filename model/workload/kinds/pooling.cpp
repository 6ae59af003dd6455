// Pooling, driver "pool": mb ic ih iw oh ow kh kw sh sw dh dw ph pw; attribute
// alg=max|avg_np|avg_p (averages without or with the padding in the divisor, benchdnn's words).

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
    d.mb = text.get("mb", 1);
    d.ic = text.at("ic");
    d.oc = d.ic;
    read_windows(text, layer);
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
    return problem;
}

/// Averages add each tap and scale each output, forward and backward alike. A maximum compares,
/// which is no FLOP; its backward adds each output's gradient to the input that won.
Flops flops(const Layer& layer, Pass pass, bool padding_taps) {
    const double outputs = destination_elements(layer);
    if (layer.algorithm == Algorithm::max) return Flops(pass == Pass::forward ? 0 : outputs);
    const auto taps = [&](const Window& w) {
        return static_cast<double>(padding_taps ? w.k * w.o : taps_inside(w));
    };
    const double images = static_cast<double>(layer.dims.mb) * static_cast<double>(layer.dims.ic);
    return Flops(images * taps(height_window(layer)) * taps(width_window(layer)) + outputs);
}

/// Training keeps, for each output of a maximum, which tap won: one byte, four for kernels of more
/// than 256 taps (as oneDNN chooses).
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const DataType index = layer.dims.kh * layer.dims.kw <= 256 ? DataType::u8 : DataType::s32;
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

}  // namespace

Kind pooling_kind() {
    return {LayerKind::pooling,
            read,
            write,
            {Pass::forward, Pass::backward},
            flops,
            tensors,
            no_parameters,
            same_shape,
            output_window_shape};
}

}  // namespace ridge::workload
