// A network of a few thousand parameters with every kind of layer and every way to wire them.
#pragma once

#include "ridge/network.hpp"

namespace ridge::test {

/// conv, batch normalization, ReLU in place, LRN, max pooling, a fork into a plain and a grouped
/// convolution with tanh, their sum, ReLU in place, a fork into a convolution and an identity,
/// their concatenation, average pooling, inner products with ReLU and dropout in place, softmax
/// with loss.
[[nodiscard]] Network tiny_network(std::int64_t batch);

}  // namespace ridge::test
