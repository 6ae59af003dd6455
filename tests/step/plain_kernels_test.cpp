// The vectorised kernels against their equations, element by element, at sizes around the widths
// of vectors, cache lines and the threshold of parallel execution.

#include "collectors/step/plain_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "collectors/step/bf16.hpp"
#include "collectors/step/float_environment.hpp"
#include "collectors/step/values.hpp"

using namespace ridge;
using namespace ridge::step;

namespace {

const std::vector<std::size_t> kSizes{1, 15, 16, 17, 63, 1000, 8191, 8192, 100003};

std::vector<float> values(std::size_t n, std::uint32_t seed) {
    return make_values(n, {-2, 2}, seed);
}
template <class T>
std::vector<T> as(const std::vector<float>& x) {
    std::vector<T> y(x.size());
    std::transform(x.begin(), x.end(), y.begin(), [](float v) { return from_float<T>(v); });
    return y;
}
template <class T>
constexpr DataType type_of = std::is_same_v<T, float> ? DataType::f32 : DataType::bf16;

/// One rounding of the type and a few of f32.
template <class T>
bool near(T found, double expected) {
    const double rounding = std::is_same_v<T, float> ? 0x1p-21 : 0x1p-7;
    return std::abs(static_cast<double>(to_float(found)) - expected) <=
           rounding * (std::abs(expected) + 0.1);
}

template <class T>
void check_update(std::size_t n) {
    auto w = as<T>(values(n, 1)), m = as<T>(values(n, 2));
    const auto g = as<T>(values(n, 3)), w0 = w, m0 = m;
    sgd_momentum(type_of<T>, w.data(), g.data(), m.data(), n, {0.125F, 0.75F});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double step =
            0.75 * static_cast<double>(to_float(m0[i])) + static_cast<double>(to_float(g[i]));
        wrong +=
            !near(m[i], step) || !near(w[i], static_cast<double>(to_float(w0[i])) - 0.125 * step);
    }
    CHECK(wrong == 0);
}

template <class T>
void check_dropout(std::size_t n, float ratio) {
    const auto src = as<T>(values(n, 4));
    auto in_place = src;
    std::vector<T> dst(n), diff(n);
    std::vector<std::uint8_t> mask(n, 7), again(n, 9);
    const float scale = 1 / (1 - ratio);
    dropout_forward(type_of<T>, src.data(), dst.data(), mask.data(), n, ratio, scale, 11);
    dropout_forward(type_of<T>, in_place.data(), in_place.data(), again.data(), n, ratio, scale,
                    11);
    dropout_backward(type_of<T>, src.data(), diff.data(), mask.data(), n, scale);
    CHECK(mask == again);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double expected =
            mask[i] * static_cast<double>(scale) * static_cast<double>(to_float(src[i]));
        wrong += mask[i] > 1 || !near(dst[i], expected) || !near(in_place[i], expected) ||
                 !near(diff[i], expected);
    }
    CHECK(wrong == 0);
    if (n < 100000) return;
    const double kept = std::accumulate(mask.begin(), mask.end(), 0.0) / static_cast<double>(n);
    // Six standard deviations of the share of n independent draws.
    const double p = 1 - static_cast<double>(ratio);
    CHECK(std::abs(kept - p) < 6 * std::sqrt(p * (1 - p) / static_cast<double>(n)));
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("update with momentum") {
        for (const int threads : {1, 2}) {
            prepare_threads(threads);
            for (const std::size_t n : kSizes) {
                CAPTURE(n);
                check_update<float>(n);
                check_update<Bf16>(n);
            }
        }
    }

    TEST_CASE("dropout: the mask decides, forward, in place and backward") {
        for (const int threads : {1, 2}) {
            prepare_threads(threads);
            for (const std::size_t n : kSizes)
                for (const float ratio : {0.5F, 0.25F}) {
                    CAPTURE(n);
                    check_dropout<float>(n, ratio);
                    check_dropout<Bf16>(n, ratio);
                }
        }
    }

    TEST_CASE("cross-entropy and its gradient") {
        const std::size_t images = 3, classes = 5000;
        std::vector<float> p = make_values(images * classes, {0.01F, 1}, 5);
        const std::vector<std::int32_t> labels{0, 4999, 17};
        double expected = 0;
        for (std::size_t n = 0; n < images; ++n)
            expected -= std::log(static_cast<double>(
                            p[n * classes + static_cast<std::size_t>(labels[n])])) /
                        3;
        CHECK(cross_entropy(DataType::f32, p.data(), labels.data(), images, classes) ==
              doctest::Approx(expected).epsilon(1e-6));
        std::vector<float> diff(p.size());
        cross_entropy_gradient(DataType::f32, p.data(), labels.data(), diff.data(), images,
                               classes);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const bool label = static_cast<std::size_t>(labels[i / classes]) == i % classes;
            wrong += !near(diff[i], (static_cast<double>(p[i]) - (label ? 1 : 0)) / 3);
        }
        CHECK(wrong == 0);
        p[0] = 0;  // an impossible label costs a lot, not infinitely much
        CHECK(
            std::isfinite(cross_entropy(DataType::f32, p.data(), labels.data(), images, classes)));
    }

    TEST_CASE("running average") {
        std::vector<float> running{1, 2, 3};
        const std::vector<float> batch{5, 2, -1};
        running_average(running.data(), batch.data(), 3, 0.25F);
        CHECK(running == std::vector<float>{2, 2, 2});
    }

    TEST_CASE("bf16 rounds to nearest even") {
        CHECK(from_float<Bf16>(1.0F).bits == 0x3F80);
        CHECK(from_float<Bf16>(1.0F + 0x1p-8F).bits == 0x3F80);            // tie: to even
        CHECK(from_float<Bf16>(1.0F + 0x1p-7F + 0x1p-8F).bits == 0x3F82);  // tie: to even
        CHECK(from_float<Bf16>(1.0F + 0x1.8p-8F).bits == 0x3F81);
        CHECK(to_float(Bf16{0xC040}) == -3.0F);
    }

    TEST_CASE("starting values: uniform in their bounds, labels among the classes") {
        const auto v = make_values(100000, {-1, 3}, 1);
        CHECK(*std::ranges::min_element(v) >= -1);
        CHECK(*std::ranges::max_element(v) < 3);
        const double mean = std::accumulate(v.begin(), v.end(), 0.0) / 1e5;
        CHECK(std::abs(mean - 1) < 6 * (4 / std::sqrt(12.0)) / std::sqrt(1e5));
        CHECK(make_values(100, {-1, 3}, 1) == std::vector<float>(v.begin(), v.begin() + 100));
        CHECK(make_values(100, {-1, 3}, 2) != std::vector<float>(v.begin(), v.begin() + 100));
        const auto labels = make_labels(1000, 10, 3);
        const std::set<std::int32_t> seen(labels.begin(), labels.end());
        CHECK(seen.size() == 10);
        CHECK(*seen.begin() == 0);
        CHECK(*seen.rbegin() == 9);
        CHECK(he_bound(6) == doctest::Approx(1.0));
        CHECK(small_bound(16) == doctest::Approx(0.25));
    }

    TEST_CASE("the implementation's name says what runs") {
        const std::string name = plain_implementation("dropout");
        CHECK(name.rfind("ridge:dropout:", 0) == 0);
    }
}
