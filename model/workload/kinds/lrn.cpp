// Local response normalization, driver "lrn": mb ic ih iw ls (window) alpha beta k; attribute
// alg=across|within. dst = src (k + alpha/ls sum of squares over the window)^-beta, where the sum
// is over ls channels, or over ls x ls pixels with alpha/ls^2.

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image(text, layer);
    layer.local_size = text.get("ls", layer.local_size);
    if (layer.local_size > largest_extent)
        throw text.wrong("ls", fmt::format("at most {}", largest_extent),
                         fmt::format("{}", layer.local_size));
    layer.lrn_alpha = text.real("alpha", layer.lrn_alpha);
    layer.lrn_beta = text.real("beta", layer.lrn_beta);
    layer.lrn_k = text.real("k", layer.lrn_k);
    const std::string word = text.attribute("alg").value_or("across");
    if (word != "across" && word != "within")
        throw text.wrong("alg", "across or within", "'" + word + "'");
    layer.algorithm =
        word == "across" ? Algorithm::lrn_across_channels : Algorithm::lrn_within_channel;
}

/// The shortest decimal that reads back as the same number; the grammar has no exponents.
std::string decimal(double value) {
    std::array<char, 400> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    return {text.data(), end};
}

std::string write(const Layer& layer) {
    const Layer standard;
    std::string problem = fmt::format("{}ls{}", write_image(layer), layer.local_size);
    if (layer.lrn_alpha != standard.lrn_alpha) problem += "alpha" + decimal(layer.lrn_alpha);
    if (layer.lrn_beta != standard.lrn_beta) problem += "beta" + decimal(layer.lrn_beta);
    if (layer.lrn_k != standard.lrn_k) problem += "k" + decimal(layer.lrn_k);
    return problem + (layer.algorithm == Algorithm::lrn_within_channel ? ",alg=within" : "");
}

/// Elements summed over all windows; windows at the border are cut off.
double summed_elements(const Layer& layer, bool padding_taps) {
    const Dims& d = layer.dims;
    const auto taps = [&](std::int64_t size) {
        const Window window{size, size, layer.local_size, 1, 0, (layer.local_size - 1) / 2};
        return static_cast<double>(padding_taps ? window.k * window.o : taps_inside(window));
    };
    const auto mb = static_cast<double>(d.mb);
    if (layer.algorithm == Algorithm::lrn_within_channel)
        return mb * static_cast<double>(d.ic) * taps(d.ih) * taps(d.iw);
    return mb * taps(d.ic) * static_cast<double>(d.ih) * static_cast<double>(d.iw);
}

/// Per element, forward: square 1, sum over a window of n squares n - 1, scale and offset 2, power
/// 1 (whatever the library makes of it), product 1: n + 4. Backward with the base kept: power 1,
/// gradient times power 1, times source over base 2, sum over the window n - 1, times source and
/// constant 2, subtract 1: n + 6.
Flops flops(const Layer& layer, Pass pass, bool padding_taps) {
    return Flops(summed_elements(layer, padding_taps) +
                 (pass == Pass::forward ? 4.0 : 6.0) * source_elements(layer));
}

/// What a library keeps from forward (oneDNN a workspace of scales) is its choice and not counted.
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const double elements = source_elements(layer);
    if (pass == Pass::forward)
        return {tensor("src", elements, layer.dtype, Access::read),
                tensor("dst", elements, layer.dtype, Access::write)};
    return {tensor("src", elements, layer.dtype, Access::read),
            tensor("diff_dst", elements, layer.dtype, Access::read),
            tensor("diff_src", elements, layer.dtype, Access::write)};
}

}  // namespace

Kind lrn_kind() {
    return {.kind = LayerKind::lrn,
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
