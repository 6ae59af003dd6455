// Channels that a blocked memory format pads to whole blocks, and that the kernel computes on.
#pragma once

#include <string>
#include <string_view>

#include "ridge/layer.hpp"

namespace ridge {

struct Padding {
    double factor = 1;  ///< executed / useful FLOPs, >= 1
    std::string cause;  ///< "ic 17 padded to 24, oc 23 padded to 24"; empty when nothing is padded
};

/// From oneDNN's tags in a row's formats ("src:aBcd8b wei:ABcd8a8b dst:aBcd8b"): a convolution
/// works on whole blocks of input and output channels, an inner product on whole vectors of output
/// channels. No more than one vector (64 bytes) counts as a block, because kernels skip the empty
/// vectors of larger ones. Everything else, and formats without blocks, is not padded.
[[nodiscard]] Padding channel_padding(const Layer& layer, std::string_view formats);

}  // namespace ridge
