// Which level each tensor comes from.

#include <algorithm>

#include "model/roofline/demand.hpp"

namespace ridge {
namespace {

std::size_t home_level(const std::optional<Bytes>& distance, const Roofline& roofline) {
    const auto& levels = roofline.bandwidth;
    const auto fits = [&](const BandwidthRoof& roof) {
        return distance && roof.capacity && *roof.capacity >= *distance;
    };
    const auto home = std::find_if(levels.begin(), levels.end(), fits);
    return home == levels.end() ? levels.size() - 1
                                : static_cast<std::size_t>(home - levels.begin());
}

}  // namespace

std::vector<LevelUse> place(const std::vector<TensorTraffic>& tensors, const Roofline& roofline) {
    std::vector<LevelUse> traffic;
    for (const auto& roof : roofline.bandwidth)
        traffic.push_back({roof.level, {}, {}, Source::algorithmic});
    if (traffic.empty()) return traffic;
    for (const auto& tensor : tensors) {
        const std::size_t home = home_level(tensor.reuse_distance, roofline);
        for (std::size_t level = 0; level <= home; ++level) {
            traffic[level].read += tensor.read;
            traffic[level].written += tensor.written;
        }
    }
    std::erase_if(traffic, [](const LevelUse& level) { return level.total().value() <= 0; });
    return traffic;
}

}  // namespace ridge
