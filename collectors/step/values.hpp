// Values that a step starts from: reproducible, independent of the number of threads, and such
// that no activation or gradient becomes denormal, infinite or NaN.
#pragma once

#include <cstdint>
#include <vector>

namespace ridge::step {

/// Uniform in [0, 1): a hash of (seed, index), the finaliser of MurmurHash3. A counter instead of
/// a state, so that threads and vector lanes draw independently.
[[nodiscard]] inline float uniform(std::uint32_t seed, std::uint32_t index) {
    std::uint32_t h = index * 0x9E3779B9U + seed;
    h ^= h >> 16;
    h *= 0x85EBCA6BU;
    h ^= h >> 13;
    h *= 0xC2B2AE35U;
    h ^= h >> 16;
    return static_cast<float>(h >> 8) * 0x1p-24F;
}

/// How a tensor starts: low + (high - low) x uniform.
struct Fill {
    float low = 0, high = 0;
};

/// Bound of the uniform distribution that keeps the variance of activations through a layer with
/// `fan_in` inputs per output followed by ReLU: sqrt(6 / fan_in) (He et al. 2015, arXiv
/// 1502.01852).
[[nodiscard]] float he_bound(std::int64_t fan_in);
/// 1 / sqrt(fan_in): outputs a good deal smaller than the inputs, so that the logits of a step's
/// softmax are of order one and no probability is denormal.
[[nodiscard]] float small_bound(std::int64_t fan_in);

[[nodiscard]] std::vector<float> make_values(std::size_t count, Fill fill, std::uint32_t seed);

/// One label in [0, classes) per image.
[[nodiscard]] std::vector<std::int32_t> make_labels(std::size_t images, std::int64_t classes,
                                                    std::uint32_t seed);

}  // namespace ridge::step
