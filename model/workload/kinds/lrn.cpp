// Local response normalization, driver "lrn": mb ic ih iw ls (window); attribute
// alg=across|within.

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    read_image(text, layer);
    layer.local_size = text.get("ls", 5);
    const std::string word = text.attribute("alg").value_or("across");
    if (word != "across" && word != "within")
        throw text.wrong("alg", "across or within", "'" + word + "'");
    layer.algorithm =
        word == "across" ? Algorithm::lrn_across_channels : Algorithm::lrn_within_channel;
}

std::string write(const Layer& layer) {
    return fmt::format("{}ls{}{}", write_image(layer), layer.local_size,
                       layer.algorithm == Algorithm::lrn_within_channel ? ",alg=within" : "");
}

/// Per element, forward: the window's squares 2n (multiply-add each), scale and offset 2, power 1
/// (whatever the library makes of it), product 1. Backward: the same for the base that is
/// recomputed, and the window's sum of products 2n + 4.
Flops flops(const Layer& layer, Pass pass, bool) {
    const double window = layer.algorithm == Algorithm::lrn_within_channel
                              ? static_cast<double>(layer.local_size * layer.local_size)
                              : static_cast<double>(layer.local_size);
    const double forward = 2 * window + 4;
    return Flops((pass == Pass::forward ? forward : 2 * forward) * source_elements(layer));
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
    return {LayerKind::lrn, read,       write,     {Pass::forward, Pass::backward}, flops, tensors,
            no_parameters,  same_shape, same_shape};
}

}  // namespace ridge::workload
