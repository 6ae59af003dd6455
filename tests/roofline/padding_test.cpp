// Channels that a blocked format pads.

#include <doctest/doctest.h>

#include "model/roofline/padding.hpp"

using namespace ridge;

namespace {

Layer convolution(std::int64_t ic, std::int64_t oc, std::int64_t groups = 1) {
    Layer layer;
    layer.dims.ic = ic;
    layer.dims.oc = oc;
    layer.dims.g = groups;
    return layer;
}

double factor(const Layer& layer, const char* formats) {
    return channel_padding(layer, formats).factor;
}

}  // namespace

TEST_SUITE("formula") {
    // A4
    TEST_CASE("6 output channels in blocks of 16 execute 2.6667 x the useful FLOPs") {
        const auto padding = channel_padding(convolution(3, 6), "src:abcd wei:Acdb16a dst:aBcd16b");
        CHECK(padding.factor == doctest::Approx(16.0 / 6));
        CHECK(padding.cause == "oc 6 padded to 16");
    }
    TEST_CASE("17 and 23 channels in blocks of 8: 24 x 24 / (17 x 23)") {
        CHECK(factor(convolution(17, 23), "src:aBcd8b wei:ABcd8a8b dst:aBcd8b") ==
              doctest::Approx(576.0 / 391));
        CHECK(576.0 / 391 == doctest::Approx(1.4731).epsilon(0.0001));
    }
    TEST_CASE("the data's tags count when the weights have none, and gradients are read alike") {
        CHECK(factor(convolution(17, 23), "src:aBcd8b dst:aBcd8b") == doctest::Approx(576.0 / 391));
        CHECK(factor(convolution(17, 23), "diff_src:f32:aBcd8b wei:f32:ABcd8b8a diff_dst:aBcd8b") ==
              doctest::Approx(576.0 / 391));
    }
    TEST_CASE("groups have their own channels and a letter in front") {
        CHECK(factor(convolution(48, 48, 2), "src:aBcd16b wei:aBCde16b16c dst:aBcd16b") ==
              doctest::Approx(32.0 * 32 / (24 * 24)));
        CHECK(factor(convolution(96, 256, 2), "src:aBcd16b wei:aBCde16c16b dst:aBcd16b") == 1);
    }
    TEST_CASE("whole blocks, plain formats and other layers are not padded") {
        CHECK(factor(convolution(64, 64), "src:aBcd16b wei:ABcd16b16a dst:aBcd16b") == 1);
        CHECK(factor(convolution(3, 6), "src:abcd wei:abcd dst:abcd") == 1);
        CHECK(factor(convolution(3, 6), "") == 1);
        CHECK(factor(convolution(3, 6), "wei:A99999999999999999999b x:: dst:aB16 wei") == 1);
        auto pooling = convolution(6, 6);
        pooling.kind = LayerKind::pooling;
        CHECK(factor(pooling, "src:aBcd16b dst:aBcd16b") == 1);
    }
    TEST_CASE("an inner product pads its output channels to one vector, not to its large block") {
        auto ip = convolution(500, 10);
        ip.kind = LayerKind::inner_product;
        CHECK(factor(ip, "src:ab wei:AB16b64a dst:ab") == doctest::Approx(1.6));
    }
}
