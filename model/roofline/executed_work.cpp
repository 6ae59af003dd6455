#include "model/roofline/executed_work.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/roofline/padding.hpp"

namespace ridge {
namespace {

/// Something a kernel adds to a whole number of times per element.
struct Additions {
    double elements;
    std::string_view what;
};

/// Where additions beyond the useful work go, the likelier first. `padded`: executed over useful
/// FLOPs by channel padding, which the results share when it is their channels that are padded.
std::vector<Additions> additions(const Layer& layer, Pass pass, double padded) {
    const Dims& d = layer.dims;
    const auto dst = static_cast<double>(d.mb * d.oc * d.oh * d.ow);
    std::vector<Additions> found;
    double results = 0;
    for (const TensorUse& tensor : tensors(layer, pass))
        if (tensor.written &&
            (tensor.name == "dst" || tensor.name == "diff_src" || tensor.name == "diff_wei"))
            results += static_cast<double>(tensor.elements);
    if (pass == Pass::backward_weights) {
        if (layer.bias) found.push_back({dst, "bias gradient, {:.0f} per output"});
        found.push_back({results, "partial weight gradients summed up, {:.0f} per weight"});
        return found;
    }
    found.push_back({results, "partial sums and bias, {:.0f} per result"});
    found.push_back(
        {results * padded, "partial sums and bias, {:.0f} per result, padded ones too"});
    if (d.kh * d.kw == 1 && d.sh * d.sw > 1)
        found.push_back({static_cast<double>(d.mb * d.ic * d.oh * d.ow),
                         "partial sums, {:.0f} per result that the stride reaches"});
    return found;
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
        const double padded = std::min(rest, std::round(useful * padding.factor) - useful);
        parts.push_back({padding.cause, padded});
        rest -= padded;
    }
    const bool product = layer.kind == LayerKind::convolution ||
                         layer.kind == LayerKind::inner_product || layer.kind == LayerKind::matmul;
    for (const Additions& to : additions(layer, pass, padding.factor)) {
        const double per = to.elements > 0 ? rest / to.elements : 0;
        if (!product || per < 0.5 || std::abs(per - std::round(per)) > 1e-9) continue;
        parts.push_back({"additions: " + fmt::format(fmt::runtime(to.what), per), rest});
        return parts;
    }
    if (rest != 0) parts.push_back({"not explained", rest});
    return parts;
}

}  // namespace ridge
