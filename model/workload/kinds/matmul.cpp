// Matrix product of two activations, driver "matmul": "MxK:KxN" as benchdnn writes it, or
// "BxMxK:BxKxN" for B products (any number of leading sizes); attribute
// bias=1 adds a row to every row of the result. No operand is a parameter, and the gradient of the
// row is a sum that no matmul computes.

#include <fmt/format.h>

#include <algorithm>

#include "model/workload/shapes.hpp"

namespace ridge::workload {
namespace {

void read(ProblemReader& text, Layer& layer) {
    constexpr const char* form = "MxK:KxN such as 64x1024:1024x512, or BxMxK:BxKxN";
    auto lists = read_dimensions(text, form);
    const auto wrong = [&] { return text.wrong("sizes", form, "'" + text.dimensions() + "'"); };
    const std::size_t rank = lists[0].size();
    const auto of_rank = [&](const auto& sizes) { return sizes.size() == rank; };
    if (rank < 2 || lists.size() < 2 || lists.size() > 3 ||
        !std::all_of(lists.begin(), lists.end(), of_rank))
        throw wrong();
    Dims& d = layer.dims;
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        if (lists[1][i] != lists[0][i] || (lists.size() > 2 && lists[2][i] != lists[0][i]))
            throw wrong();
        if (d.g > largest_dimension / lists[0][i])
            throw text.wrong("sizes", fmt::format("at most {} products", largest_dimension),
                             "'" + text.dimensions() + "'");
        d.g *= lists[0][i];
    }
    for (auto& sizes : lists) sizes.erase(sizes.begin(), sizes.end() - 2);
    if (lists[0][1] != lists[1][0] ||
        (lists.size() > 2 && lists[2] != std::vector{lists[0][0], lists[1][1]}))
        throw wrong();
    layer.bias = text.flag("bias", false);
    d.mb = lists[0][0], d.ic = lists[0][1], d.oc = lists[1][1];
}

std::string write(const Layer& layer) {
    const Dims& d = layer.dims;
    const std::string products = d.g == 1 ? "" : fmt::format("{}x", d.g);
    return fmt::format("{0}{1}x{2}:{0}{2}x{3}{4}", products, d.mb, d.ic, d.oc,
                       layer.bias ? ",bias=1" : "");
}

Flops flops(const Layer& layer, Pass, bool) {
    const Dims& d = layer.dims;
    return Flops(2.0 * static_cast<double>(d.g) * static_cast<double>(d.mb) *
                 static_cast<double>(d.ic) * static_cast<double>(d.oc));
}

/// src m x k, wei k x n, dst m x n; both operands may be activations, so each pass is a product.
std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    // The sizes of all products together; a bias is one row for all of them.
    const auto m = static_cast<double>(d.g * d.mb), k = static_cast<double>(d.ic),
               n = static_cast<double>(d.oc), wei = static_cast<double>(d.g) * k * n;
    const DataType type = layer.dtype;
    std::vector<TensorUse> list;
    switch (pass) {
        case Pass::forward:
            list = {tensor("src", m * k, type, Access::read),
                    tensor("wei", wei, type, Access::read),
                    tensor("dst", m * n, type, Access::write)};
            if (layer.bias) list.push_back(tensor("bias", n, type, Access::read));
            return list;
        case Pass::backward_data:
            return {tensor("diff_dst", m * n, type, Access::read),
                    tensor("wei", wei, type, Access::read),
                    tensor("diff_src", m * k, type, Access::write)};
        case Pass::backward_weights:
            return {tensor("src", m * k, type, Access::read),
                    tensor("diff_dst", m * n, type, Access::read),
                    tensor("diff_wei", wei, type, Access::write)};
        case Pass::backward:
        case Pass::update:
            break;
    }
    return list;
}

}  // namespace

Kind matmul_kind() {
    return {.kind = LayerKind::matmul,
            .read = read,
            .write = write,
            .passes = {Pass::forward, Pass::backward_data, Pass::backward_weights},
            .flops = flops,
            .tensors = tensors,
            .minimum_bytes = every_element_once,
            .parameters = no_parameters,
            .input = image_shape,
            .output = output_shape,
            .input_count = one_input,
            .in_networks = false};
}

}  // namespace ridge::workload
