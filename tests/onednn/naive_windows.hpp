// Naive convolution, products and pooling (see naive.hpp).
#pragma once

#include "tests/onednn/naive.hpp"

namespace ridge::naive {

/// Index into images x channels x height x width.
struct Image {
    std::int64_t c, h, w;
    [[nodiscard]] std::size_t at(std::int64_t n, std::int64_t ci, std::int64_t y,
                                 std::int64_t x) const {
        return static_cast<std::size_t>(((n * c + ci) * h + y) * w + x);
    }
};

[[nodiscard]] Values convolution(const Layer& layer, Pass pass, const Values& in);
/// Weights of inner product are oc x k, of matmul k x oc.
[[nodiscard]] Values product(const Layer& layer, Pass pass, const Values& in);
[[nodiscard]] Values pooling(const Layer& layer, Pass pass, const Values& in);

}  // namespace ridge::naive
