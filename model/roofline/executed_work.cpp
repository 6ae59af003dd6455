#include "model/roofline/executed_work.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/roofline/padding.hpp"

namespace ridge {
namespace {

/// Elements that the pass computes sums for.
double outputs_of(const Layer& layer, Pass pass) {
    double elements = 0;
    for (const TensorUse& tensor : tensors(layer, pass))
        if (tensor.written &&
            (tensor.name == "dst" || tensor.name == "diff_src" || tensor.name == "diff_wei"))
            elements += static_cast<double>(tensor.elements);
    return elements;
}

}  // namespace

std::vector<WorkDifference> explain_executed_work(const Layer& layer, Pass pass,
                                                  double executed_flops,
                                                  std::string_view implementation,
                                                  std::string_view formats) {
    std::vector<WorkDifference> parts;
    const double useful = useful_flops(layer, pass).value();
    double rest = executed_flops - useful;
    if (rest == 0) return parts;
    if (implementation.find("wino") != std::string_view::npos) {
        parts.push_back({"Winograd: fewer multiplications, more additions", rest});
        return parts;
    }
    const Padding padding = channel_padding(layer, formats);
    if (padding.factor > 1 && rest > 0) {
        const double padded = std::min(rest, useful * (padding.factor - 1));
        parts.push_back({padding.cause, padded});
        rest -= padded;
    }
    const bool product = layer.kind == LayerKind::convolution ||
                         layer.kind == LayerKind::inner_product || layer.kind == LayerKind::matmul;
    const double outputs = outputs_of(layer, pass);
    const double dst =
        static_cast<double>(layer.dims.mb * layer.dims.oc * layer.dims.oh * layer.dims.ow);
    const bool weights = pass == Pass::backward_weights;
    const double per = weights ? rest / dst : outputs > 0 ? rest / outputs : 0;
    if (product && rest > 0 && per > 0 && std::abs(per - std::round(per)) < 1e-9) {
        parts.push_back(
            {weights ? fmt::format("bias gradient, {:.0f} addition(s) per output", per)
                     : fmt::format("additions of partial sums and bias, {:.0f} per result", per),
             rest});
        rest = 0;
    }
    if (rest != 0) parts.push_back({"not explained", rest});
    return parts;
}

}  // namespace ridge
