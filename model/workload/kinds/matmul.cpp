// Matrix product, driver "matmul": "MxK:KxN" as benchdnn writes it, or mb (m), ic (k), oc (n).

#include <fmt/format.h>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    layer.bias = text.flag("bias", false);
    if (text.dimensions().empty()) {
        d.mb = text.at("mb");
        d.ic = text.at("ic");
        d.oc = text.at("oc");
        return;
    }
    const auto sizes = read_dimensions(text, "MxK:KxN such as 64x1024:1024x512");
    if (sizes.size() != 2 || sizes[0].size() != 2 || sizes[1].size() != 2 ||
        sizes[0][1] != sizes[1][0])
        throw text.wrong("dimensions", "MxK:KxN such as 64x1024:1024x512",
                         "'" + text.dimensions() + "'");
    d.mb = sizes[0][0], d.ic = sizes[0][1], d.oc = sizes[1][1];
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    return fmt::format("{}x{}:{}x{}{}", d.mb, d.ic, d.ic, d.oc, layer.bias ? ",bias=1" : "");
}

Flops flops(const Layer& layer, Pass, bool) {
    const Dims& d = layer.dims;
    return Flops(2.0 * static_cast<double>(d.mb) * static_cast<double>(d.ic) *
                 static_cast<double>(d.oc));
}

/// src m x k, wei k x n, dst m x n; both operands may be activations, so each pass is a product.
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    const auto m = static_cast<double>(d.mb), k = static_cast<double>(d.ic),
               n = static_cast<double>(d.oc);
    const DataType type = layer.dtype;
    std::vector<TensorUse> list;
    switch (pass) {
        case Pass::forward:
            list = {tensor("src", m * k, type, Access::read),
                    tensor("wei", k * n, type, Access::read),
                    tensor("dst", m * n, type, Access::write)};
            if (layer.bias) list.push_back(tensor("bias", n, type, Access::read));
            return list;
        case Pass::backward_data:
            return {tensor("diff_dst", m * n, type, Access::read),
                    tensor("wei", k * n, type, Access::read),
                    tensor("diff_src", m * k, type, Access::write)};
        case Pass::backward_weights:
            return {tensor("src", m * k, type, Access::read),
                    tensor("diff_dst", m * n, type, Access::read),
                    tensor("diff_wei", k * n, type, Access::write)};
        case Pass::backward:
        case Pass::update:
            break;
    }
    return list;
}

Shape output(const Layer& layer) {
    return {layer.dims.oc, 1, 1};
}

}  // namespace

Kind matmul_kind() {
    return {LayerKind::matmul,
            read,
            write,
            {Pass::forward, Pass::backward_data, Pass::backward_weights},
            flops,
            tensors,
            no_parameters,
            same_shape,
            output};
}

}  // namespace ridge::workload
