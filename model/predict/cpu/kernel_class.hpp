// Kernels that share constants (family) and those that share an efficiency (class).
#pragma once

#include <string>
#include <string_view>

#include "ridge/layer.hpp"

namespace ridge::cpu {

enum class Family { convolution, product, other };
inline constexpr int families = 3;
[[nodiscard]] std::string_view to_string(Family family);

/// Updates of parameters are of the family `other`, whatever their layer.
[[nodiscard]] Family family_of(LayerKind kind, Pass pass);

/// "conv 1x1 forward", "pool max backward": what a library has a kernel of its own for.
[[nodiscard]] std::string class_of(const Layer& layer, Pass pass);

}  // namespace ridge::cpu
