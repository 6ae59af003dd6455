#include "collectors/blas/im2col.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

using namespace ridge;
using namespace ridge::blas;

namespace {

Dims dims_of(const char* line) {
    return parse_layer(line).dims;
}

std::vector<float> counting(std::int64_t n) {
    std::vector<float> v(static_cast<std::size_t>(n));
    std::iota(v.begin(), v.end(), 1.0F);
    return v;
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("columns of a 3x3 image under a 2x2 kernel") {
        const Dims d = dims_of("conv:ic1oc1ih3kh2ph0");
        const auto image = counting(9);
        std::vector<float> columns(16);
        im2col(d, image.data(), {0, 4}, {0, 4}, columns.data());
        CHECK(columns == std::vector<float>{1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9});
    }

    TEST_CASE("parts of rows and positions are the parts of the whole") {
        for (const char* line : {"conv:ic3oc1ih7iw5kh3ph1", "conv:ic2oc1ih9kh3sh2ph2",
                                 "conv:ic2oc1ih9kh3dh1ph1", "conv:ic2oc1ih4oh8kh5ph4"}) {
            CAPTURE(line);
            const Dims d = dims_of(line);
            const std::int64_t rows = d.ic * d.kh * d.kw, positions = d.oh * d.ow;
            const auto image = counting(d.ic * d.ih * d.iw);
            std::vector<float> whole(static_cast<std::size_t>(rows * positions));
            im2col(d, image.data(), {0, rows}, {0, positions}, whole.data());
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 4; ++j) {
                    const Range r = part(rows, i, 3), p = part(positions, j, 4);
                    std::vector<float> piece(static_cast<std::size_t>(r.size() * p.size()));
                    im2col(d, image.data(), r, p, piece.data());
                    std::size_t wrong = 0, k = 0;
                    for (std::int64_t a = r.begin; a < r.end; ++a)
                        for (std::int64_t b = p.begin; b < p.end; ++b)
                            wrong +=
                                piece[k++] != whole[static_cast<std::size_t>(a * positions + b)];
                    CHECK(wrong == 0);
                }
        }
    }

    TEST_CASE("col2im is the transpose of im2col: <columns(x), y> = <x, image(y)>") {
        for (const char* line : {"conv:ic3oc1ih7iw5kh3ph1", "conv:ic2oc1ih9kh3sh2ph2",
                                 "conv:ic2oc1ih9kh3dh1ph1", "conv:ic2oc1ih4oh8kh5ph4"}) {
            CAPTURE(line);
            const Dims d = dims_of(line);
            const std::int64_t rows = d.ic * d.kh * d.kw, positions = d.oh * d.ow;
            const auto x = counting(d.ic * d.ih * d.iw), y = counting(rows * positions);
            std::vector<float> columns(y.size()), image(x.size(), 77);
            im2col(d, x.data(), {0, rows}, {0, positions}, columns.data());
            col2im(d, y.data(), {0, d.ic}, image.data());
            const double left = std::inner_product(columns.begin(), columns.end(), y.begin(), 0.0);
            const double right = std::inner_product(x.begin(), x.end(), image.begin(), 0.0);
            CHECK(left == doctest::Approx(right).epsilon(1e-6));
        }
    }
}
