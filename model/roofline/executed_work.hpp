// Why a kernel executes more, or fewer, operations than the layer needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge {

struct WorkDifference {
    std::string cause;  ///< "ic 3 padded to 16", "additions: partial sums and bias, 4 per result"
    double flops = 0;   ///< executed beyond the useful ones; negative where the kernel saves work
};

/// Splits executed - useful FLOPs of one pass by cause. `implementation` and `formats` as the
/// library names them. What no rule explains stands under "not explained"; the parts add up.
[[nodiscard]] std::vector<WorkDifference> explain_executed_work(const Layer& layer, Pass pass,
                                                                double executed_flops,
                                                                std::string_view implementation,
                                                                std::string_view formats);

}  // namespace ridge
