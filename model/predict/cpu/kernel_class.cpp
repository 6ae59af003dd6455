#include "model/predict/cpu/kernel_class.hpp"

#include <fmt/format.h>

namespace ridge::cpu {
namespace {

/// What of the shape chooses between kernels of a convolution.
std::string_view convolution_shape(const Dims& d) {
    if (d.g > 1 && d.ic == d.g && d.oc == d.g) return "depthwise";
    if (d.ic / d.g < 16) return "few channels";
    if (d.kh == 1 && d.kw == 1) return d.sh > 1 || d.sw > 1 ? "1x1 strided" : "1x1";
    return d.sh > 1 || d.sw > 1 ? "direct strided" : "direct";
}

}  // namespace

std::string_view to_string(Family family) {
    switch (family) {
        case Family::convolution:
            return "convolution";
        case Family::product:
            return "product";
        case Family::other:
            return "other";
    }
    return "other";
}

Family family_of(LayerKind kind, Pass pass) {
    if (pass == Pass::update) return Family::other;
    if (kind == LayerKind::convolution) return Family::convolution;
    if (kind == LayerKind::inner_product || kind == LayerKind::matmul) return Family::product;
    return Family::other;
}

std::string class_of(const Layer& layer, Pass pass) {
    if (pass == Pass::update) return "update";
    std::string_view variant;
    if (layer.kind == LayerKind::convolution) variant = convolution_shape(layer.dims);
    if (layer.kind == LayerKind::reorder && layer.dims.kh * layer.dims.kw > 1) variant = "taps";
    if (layer.kind == LayerKind::concat && layer.dims.mb == 1) variant = "one image";
    if (layer.kind == LayerKind::pooling)
        variant = layer.algorithm == Algorithm::max ? "max" : "average";
    return fmt::format("{}{}{} {}", to_string(layer.kind), variant.empty() ? "" : " ", variant,
                       to_string(pass));
}

}  // namespace ridge::cpu
