// The grammar of a layer line.

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "ridge/error.hpp"
#include "ridge/layer.hpp"

using namespace ridge;

namespace {

std::string error_of(const std::string& line) {
    try {
        (void)parse_layer(line);
    } catch (const Error& e) {
        CHECK(e.code() == ExitCode::bad_input);
        return e.what();
    }
    return "no error";
}

void check_error(const std::string& line, const std::string& part) {
    const std::string error = error_of(line);
    CHECK_MESSAGE(error.find(part) != std::string::npos, line, " -> ", error);
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("widths repeat heights, outputs and padding follow as in benchdnn") {
        const Dims d = parse_layer("conv:mb16ic64ih56oc64oh56kh3ph1").dims;
        CHECK(d.iw == 56);
        CHECK(d.ow == 56);
        CHECK(d.kw == 3);
        CHECK(d.pw == 1);
        CHECK(parse_layer("conv:ic3ih227oc96kh11sh4").dims.oh == 55);
        CHECK(parse_layer("conv:ic64ih56oc64oh56kh3").dims.ph == 1);
        CHECK(parse_layer("pool:ic64ih112oh56kh3sh2").dims.ph == 0);
        const Dims line = parse_layer("conv:ic8ih1iw24oc8oh1ow24kh1kw3").dims;
        CHECK(line.kh == 1);
        CHECK(line.pw == 1);
    }

    TEST_CASE("names, underscores and attributes") {
        const Layer layer = parse_layer("conv:mb2_ic4ih8_oc4kh3n\"a, b:c\",bias=0,dtype=bf16");
        CHECK(layer.name == "a, b:c");
        CHECK(!layer.bias);
        CHECK(layer.dtype == DataType::bf16);
    }

    TEST_CASE("errors name the layer, the key, what was expected and what was found") {
        check_error("conv", "driver:problem");
        check_error("cnov:ic3ih8oc4kh3", "one of conv, ip, matmul");
        check_error("conv:ih8oc4kh3", "ic: expected the key, as in ic64, found none");
        check_error("conv:ic0ih8oc4kh3", "ic: expected at least 1, found 0");
        check_error("conv:ic-3ih8oc4kh3", "ic: expected at least 1, found -3");
        check_error("conv:ic3ih8oc4kh", "kh: expected a whole number");
        check_error("conv:ic3ih8oc4kh3zz9", "key 'zz'");
        check_error("conv:ic3ic3ih8oc4kh3", "ic: expected each key once");
        check_error("conv:ic99999999999999999999ih8oc4kh3", "ic: expected at most");
        check_error("conv:g2ic3ih8oc4kh3", "ic: expected a multiple of the 2 groups, found 3");
        check_error("conv:ic3ih8oc4oh3kh3ph0", "oh: expected 6, found 3");
        check_error("conv:ic3ih8oc4oh30kh3ph1", "oh: expected windows that touch the image");
        check_error("conv:ic3ih8oc4kh9", "kh: expected a kernel of at most 8");
        check_error("conv:ic3ih8oc4kh3ph3oh12", "ph: expected less than the kernel's 3");
        check_error("pool:ic3ih8kh2sh2,alg=median", "alg: expected max, avg_np or avg_p");
        check_error("ip:ic3oc4,bias=maybe", "bias: expected 0 or 1, found 'maybe'");
        check_error("ip:ic3oc4,colour=red", "attribute 'colour'");
        check_error("matmul:3x4:5x6", "MxK:KxN");
        check_error("dropout:ic3,ratio=1", "ratio: expected a share");
        check_error("concat:ih3", "inputs: expected the channels");
        check_error("conv:ic3ih8oc4kh3n\"open", "a closing quote");
        check_error("ip:mb1000000000ic1000000000oc1000000000", "less than 9e15");
    }

    TEST_CASE("the canonical line reads back as the same layer") {
        std::mt19937 random(11);
        const auto pick = [&](int low, int high) {
            return std::uniform_int_distribution<int>(low, high)(random);
        };
        const auto text = [](const char* key, int value) { return key + std::to_string(value); };
        for (int n = 0; n < 2000; ++n) {
            const int g = pick(1, 3), kh = pick(1, 4), kw = pick(1, 4);
            std::string line =
                "conv:mb" + std::to_string(pick(1, 9)) + text("g", g) + text("ic", g * pick(1, 5)) +
                text("oc", g * pick(1, 5)) + text("ih", pick(14, 30)) + text("iw", pick(14, 30)) +
                text("kh", kh) + text("kw", kw) + text("sh", pick(1, 3)) + text("sw", pick(1, 3)) +
                text("dh", pick(0, 2)) + text("dw", pick(0, 2)) + text("ph", pick(0, kh - 1)) +
                text("pw", pick(0, kw - 1)) + "n\"x\"";
            if (pick(0, 1)) line += ",bias=0";
            if (pick(0, 1)) line += ",dtype=bf16";
            const Layer layer = parse_layer(line);
            CHECK_MESSAGE(parse_layer(to_line(layer)) == layer, line, " -> ", to_line(layer));
        }
        for (const char* line :
             {"ip:mb2ic3ih4iw5oc6", "matmul:3x4:4x5", "matmul:3x4:4x5,bias=1",
              "pool:mb2ic3ih9oh4kh3sh2", "pool:mb2ic3ih9oh9kh3ph1,alg=avg_p", "bnorm:mb2ic3ih4",
              "lrn:mb2ic3ih4ls3,alg=within", "eltwise:mb2ic3ih4iw2,alg=tanh,inplace=1",
              "eltwise:8x64x56x57", "softmax:mb3ic10,loss=1", "sum:mb2ic3ih4,inputs=3",
              "concat:mb2ih4,inputs=3+4+5", "split:mb2ic3ih4,inputs=4",
              "dropout:mb2ic30,ratio=0.25,inplace=1", "reorder:mb1g2oc4ic5kh3",
              "reorder:mb4ic5ih6"}) {
            const Layer layer = parse_layer(line);
            CHECK_MESSAGE(parse_layer(to_line(layer)) == layer, line, " -> ", to_line(layer));
        }
    }
}
