#include "collectors/step/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ridge::step {

float he_bound(std::int64_t fan_in) {
    return std::sqrt(6.0F / static_cast<float>(std::max<std::int64_t>(1, fan_in)));
}

float small_bound(std::int64_t fan_in) {
    return 1.0F / std::sqrt(static_cast<float>(std::max<std::int64_t>(1, fan_in)));
}

std::vector<float> make_values(std::size_t count, Fill fill, std::uint32_t seed) {
    std::vector<float> values(count);
#pragma omp parallel for
    for (std::size_t i = 0; i < count; ++i)
        values[i] =
            fill.low + (fill.high - fill.low) * uniform(seed, static_cast<std::uint32_t>(i));
    return values;
}

std::vector<std::int32_t> make_labels(std::size_t images, std::int64_t classes,
                                      std::uint32_t seed) {
    std::vector<std::int32_t> labels(images);
    for (std::size_t i = 0; i < images; ++i) {
        const float u = uniform(seed, static_cast<std::uint32_t>(i));
        labels[i] = static_cast<std::int32_t>(std::min(
            static_cast<double>(classes - 1), std::floor(u * static_cast<double>(classes))));
    }
    return labels;
}

}  // namespace ridge::step
