// Activation, driver "eltwise": mb ic ih iw, or benchdnn's "8x64x56x56"; attributes
// alg=relu|tanh|logistic, inplace=0|1.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

constexpr std::array<std::pair<Algorithm, std::string_view>, 3> algorithms{
    {{Algorithm::relu, "relu"}, {Algorithm::tanh, "tanh"}, {Algorithm::logistic, "logistic"}}};

void read(ProblemReader& text, Layer& layer) {
    read_image_or_dimensions(text, layer);
    layer.in_place = text.flag("inplace", false);
    const std::string word = text.attribute("alg").value_or("relu");
    for (const auto& [algorithm, name] : algorithms)
        if (name == word) layer.algorithm = algorithm;
    if (layer.algorithm == Algorithm::none)
        throw text.wrong("alg", "relu, tanh or logistic", "'" + word + "'");
}

std::string write(const Layer& layer) {
    std::string problem = write_image(layer);
    for (const auto& [algorithm, name] : algorithms)
        if (algorithm == layer.algorithm && algorithm != Algorithm::relu)
            problem += fmt::format(",alg={}", name);
    return problem + (layer.in_place ? ",inplace=1" : "");
}

/// ReLU selects, which is no FLOP. A transcendental function counts as one operation whatever the
/// library makes of it: tanh 1, logistic 3 (exponential, sum, quotient); the derivative from the
/// output takes three: g (1 - y y), g y (1 - y).
Flops flops(const Layer& layer, Pass pass, bool) {
    if (layer.algorithm == Algorithm::relu) return Flops(0);
    const bool one = pass == Pass::forward && layer.algorithm == Algorithm::tanh;
    return Flops((one ? 1.0 : 3.0) * source_elements(layer));
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const double elements = source_elements(layer);
    const DataType type = layer.dtype;
    if (pass == Pass::forward) {
        if (layer.in_place) return {tensor("src", elements, type, Access::both)};
        return {tensor("src", elements, type, Access::read),
                tensor("dst", elements, type, Access::write)};
    }
    // Every derivative follows from the input or from the output; in place only the output is left.
    const std::string kept = layer.in_place ? "dst" : "src";
    if (layer.in_place)
        return {tensor(kept, elements, type, Access::read),
                tensor("diff_dst", elements, type, Access::both)};
    return {tensor(kept, elements, type, Access::read),
            tensor("diff_dst", elements, type, Access::read),
            tensor("diff_src", elements, type, Access::write)};
}

}  // namespace

Kind eltwise_kind() {
    return {.kind = LayerKind::eltwise,
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
