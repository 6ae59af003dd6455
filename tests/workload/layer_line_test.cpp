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
        CHECK(parse_layer("conv:ic3ih8oc4kh3").dims.mb == 2);
        // Each missing width repeats its height; a given one stands.
        const Dims dilated = parse_layer("pool:mb1ic8_ih3oh3_kh3ph1_dh2dw0").dims;
        CHECK(dilated.dh == 2);
        CHECK(dilated.dw == 0);
        CHECK(dilated.pw == 1);
        const Dims wide = parse_layer("conv:ic3ih224iw300oc64kh7sh2ph3").dims;
        CHECK(wide.ow == 150);
        CHECK(wide.pw == 3);
    }

    TEST_CASE("problems in every spelling that benchdnn's own files use") {
        for (const char* line :
             {"conv:g1mb256ic3ih227iw227oc96oh55ow55kh11kw11sh4sw4ph0pw0n\"alexnet:conv1\"",
              "conv:mb32_g32ic32oc32_ih112oh112kh3sh1dh0ph1_iw112ow112kw3sw1dw0pw1_n\"dw*3\"",
              "conv:mb50ic64ih56oc64oh56kh1ph0n\"resnet_50:res2a_branch2a*4\"",
              "ip:ic512ih7iw7oc4096n\"VGG16:ip1\"",
              "ip:ic9216oc4096",
              "matmul:1024x9216:9216x4096n\"fwd:ip1*1\"",
              "matmul:2x3:3x4:2x4",
              "pool:mb1ic32_ih300iw500_oh151ow251_kh3kw3_sh2sw2_ph1pw1",
              "pool:ic35_iw10ih9_ow3oh3_pw0ph1_kw2kh2_sw4sh4",
              "pool:mb96ic64_ih114oh57_kh3sh2ph0",
              "pool:mb1ic8_ih3iw14_oh1ow8_kh3kw3_sh1sw2_ph0pw1",
              "pool:mb2ic32_ih13oh12_kh3",
              "bnorm:mb50_ic64_ih112iw112_n\"bn_conv1\"",
              "lrn:mb50ic96ih112_alpha0.0005_beta1.0_k2ls3n\"norm1\"",
              "eltwise:8x64x56x56",
              "eltwise:8x64x100",
              "softmax:256x1000",
              "sum:8x256x56x56",
              "concat:8x64x28x28:8x128x28x28",
              "reorder:mb2ic16ih7"}) {
            const Layer layer = parse_layer(line);
            CHECK_MESSAGE(parse_layer(to_line(layer)) == layer, line, " -> ", to_line(layer));
        }
        const Dims odd = parse_layer("pool:mb2ic32_ih13oh12_kh3").dims;
        CHECK(odd.ph == 0);  // one element of padding, behind
        CHECK(parse_layer("eltwise:8x64x100").dims.iw == 100);
        CHECK(parse_layer("lrn:ic9ih5alpha0.00005k14.2").lrn_alpha == 5e-5);
    }

    TEST_CASE("a name that lost its quotes to a shell") {
        const Layer layer = parse_layer("conv:ic3ih8oc4kh3nconv1:x,bias=0");
        CHECK(layer.name == "conv1:x");
        CHECK(!layer.bias);
        CHECK(parse_layer("eltwise:2x8nrelu1").name == "relu1");
    }

    TEST_CASE("padding as TensorFlow's SAME gives it: one more element behind") {
        const Dims d = parse_layer("conv:ic3ih14oc4oh7kh3sh2ph0").dims;
        CHECK(d.oh == 7);
        CHECK(parse_layer("conv:ic3ih14oc4oh7kh3sh2").dims.ph == 0);
        CHECK(parse_layer("conv:ic3ih8oc4oh8kh2sh1ph0").dims.oh == 8);
    }

    TEST_CASE("names, underscores and attributes") {
        const Layer layer = parse_layer("conv:mb2_ic4ih8_oc4kh3n\"a, b:c\",bias=0,dtype=bf16");
        CHECK(layer.name == "a, b:c");
        CHECK(!layer.bias);
        CHECK(layer.dtype == DataType::bf16);
    }

    TEST_CASE("windows of a convolution may lie in the padding altogether when it says so") {
        // DeepBench's: outputs 2, 3 and 4 of 7 read elements 1, 3 and 5 of each row and column.
        const Layer layer = parse_layer("conv:mb1ic2ih7oc3kh1sh2ph3,asymmetric=1");
        CHECK(layer.dims.oh == 7);
        CHECK(useful_flops(layer, Pass::forward).value() == 2 * 2 * 3 * 3 * 3);
        CHECK(parse_layer(to_line(layer)) == layer);
        check_error("conv:mb1ic2ih7oc3kh1sh2ph3", "ph: expected less than the kernel's 1, found 3");
        // oneDNN's pool_shapes_2d: the second column is never read.
        const Layer pool = parse_layer("pool:mb1ic1_ih32oh6kh6sh6ph2_iw2ow1kw1sw1pw0,asymmetric=1");
        CHECK(pool.dims.ow == 1);
        CHECK(parse_layer(to_line(pool)) == pool);
        check_error("pool:mb1ic1_ih32oh6kh6sh6ph2_iw2ow1kw1sw1pw0", "ow: expected 2");
        const Layer far = parse_layer("pool:mb1ic16_ih10oh6_kh5sh5ph10,asymmetric=1");
        CHECK(parse_layer(to_line(far)) == far);
        check_error("pool:mb1ic2ih7kh1sh2ph3", "ph: expected less than the kernel's 1, found 3");
    }

    TEST_CASE("errors name the layer, the key, what was expected and what was found") {
        check_error("conv", "layer 'conv': form: expected driver:problem such as");
        check_error("", "form: expected driver:problem");
        check_error("cnov:ic3ih8oc4kh3", "driver: expected one of conv, ip, matmul");
        check_error("conv:ih8oc4kh3", "ic: expected the key, as in ic64, found none");
        check_error("conv:ic3oc4kh3", "ih: expected the key, as in ih64, found none");
        check_error("conv:ic3ih8oc4", "kh: expected the key, as in kh64, found none");
        check_error("conv:8x3x8x8", "ic: expected the key, as in ic64, found the sizes '8x3x8x8'");
        check_error("conv:ic0ih8oc4kh3", "ic: expected at least 1, found 0");
        check_error("conv:ic-3ih8oc4kh3", "ic: expected at least 1, found -3");
        check_error("conv:ic3ih8oc4kh3sh0", "sh: expected at least 1, found 0");
        check_error("conv:ic3ih8oc4kh3ph-1", "ph: expected at least 0, found -1");
        check_error("conv:ic3ih8oc4kh3.5", "kh: expected a whole number, found '3.5'");
        check_error("conv:ic3ih8oc4kh", "kh: expected a number, found none");
        check_error("conv:ic3ih8oc4kh3zz9", "key 'zz': expected one of the keys mb, g, ic, oc");
        check_error("conv:ic3id4ih8oc4kh3kd3", "key 'id': expected one of the keys");
        check_error("conv:ic3ic3ih8oc4kh3", "ic: expected each key once");
        check_error("conv:ic99999999999999999999ih8oc4kh3", "ic: expected at most 1000000000");
        check_error("conv:ic3ih70000oc4kh3", "ih: expected at most 65536, found 70000");
        check_error("conv:g2ic3ih8oc4kh3", "ic: expected a multiple of the 2 groups, found 3");
        check_error("conv:g2ic4ih8oc3kh3", "oc: expected a multiple of the 2 groups, found 3");
        check_error("conv:ic3ih8oc4oh3kh3ph0", "oh: expected 6 (ih 8, kh 3, sh 1, ph 0), found 3");
        check_error("conv:ic64ih56oc64oh57kh3ph1", "oh: expected 56 (ih 56, kh 3, sh 1, ph 1)");
        check_error("conv:ic64ih56oc64oh55kh3ph1", "oh: expected 56");
        check_error("conv:ic64ih56oc64oh57kh3", "oh: expected 56");
        check_error("conv:ic3ih224oc64oh113kh7sh2ph3", "oh: expected 112");
        check_error("conv:ic3ih8iw9oc4oh6ow6kh3", "ow: expected 7");
        check_error("conv:ic3ih8oc4kh9", "kh: expected a kernel of at most 8 elements, found 9");
        check_error("conv:ic3ih8oc4kh3dh4",
                    "kh: expected a kernel of at most 8 elements, found 11");
        check_error("conv:ic3ih8oc4kh3ph3oh12", "ph: expected less than the kernel's 3, found 3");
        check_error("pool:ic3ih8kh3oh30ph1", "oh: expected 8");
        check_error("pool:ic3ih8kh2sh2,alg=median", "alg: expected max, avg_np or avg_p");
        check_error("eltwise:2x8,alg=sigmoid", "alg: expected relu, tanh or logistic");
        check_error("eltwise:8", "sizes: expected two to four of them");
        check_error("eltwise:8x0x5", "expected sizes such as 8x64x56x56, found '8x0x5'");
        check_error("eltwise:8x3x5x5x5", "sizes: expected two to four of them");
        check_error("eltwise:8x3x70000x5", "height and width of at most 65536");
        check_error("sum:2x8x4x4:2x8x4x4", "sizes: expected one list");
        check_error("sum:2x8x4x4,inputs=1", "inputs: expected a count from 2 to 1024, found '1'");
        check_error("ip:ic3oc4,bias=maybe", "bias: expected 0 or 1, found 'maybe'");
        check_error("ip:ic3oc4,colour=red",
                    "attribute 'colour': expected one of the attributes dtype, bias");
        check_error("ip:ic3oc4,bias", "attribute: expected name=value, found 'bias'");
        check_error("ip:ic3oc4,bias=0,bias=1", "bias: expected each attribute once");
        check_error("ip:ic3oc4,dtype=f33", "dtype: expected a data type such as f32 or bf16");
        check_error("matmul:3x4:5x6", "sizes: expected MxK:KxN such as 64x1024:1024x512");
        check_error("matmul:2x3x4:3x4x5", "sizes: expected MxK:KxN");
        check_error("dropout:ic3,ratio=1", "ratio: expected a share from 0 to below 1, found '1'");
        check_error("lrn:ic3ih4beta", "beta: expected a number, found none");
        check_error("lrn:ic3ih4beta0.7.5", "beta: expected a number such as 0.75, found '0.7.5'");
        check_error("softmax:2x3x4x4,loss=1", "loss: expected one distribution per image");
        check_error("concat:ih3", "inputs: expected the channels of each input");
        check_error("concat:2x3x4x4:2x3x5x5", "sizes: expected inputs that differ in channels");
        check_error("conv:ic3ih8oc4kh3n\"open", "name: expected a closing quote");
        check_error("conv:ic3n\"x\"ih8oc4kh3", "name: expected nothing but attributes behind it");
        check_error("ip:mb1000000000ic1000000000oc1000000000",
                    "size: expected less than 9e15 FLOP and bytes in a pass, found 2e+27 FLOP");
    }

    TEST_CASE("an error is one printable line of bounded length whatever the text holds") {
        for (const std::string& line :
             {std::string("conv:ic\n3\x01"), "conv:" + std::string(5000, 'x'), std::string("\n:"),
              "ip:ic3oc4,bias=" + std::string(5000, '\x07')}) {
            const std::string error = error_of(line);
            CHECK(error.size() < 700);
            for (const char c : error) CHECK((c >= ' ' && c <= '~'));
        }
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
        for (const char* line : {"ip:mb2ic3ih4iw5oc6",
                                 "matmul:3x4:4x5",
                                 "lrn:mb2ic3ih4ls3alpha0.00005beta0.123456789k2",
                                 "lrn:mb2ic3ih4k0",
                                 "sum:mb2ic3ih4iw5",
                                 "concat:mb2ih4iw5,inputs=3+4",
                                 "dropout:mb2ic30,ratio=0.1",
                                 "matmul:1x1:1x1",
                                 "matmul:3x4:4x5,bias=1",
                                 "pool:mb2ic32ih13oh12kh3ph0",
                                 "pool:mb1ic8ih3oh1kh3iw4ow5kw3ph0pw1",
                                 "pool:mb2ic3ih9oh4kh3sh2",
                                 "pool:mb2ic3ih9oh9kh3ph1,alg=avg_p",
                                 "bnorm:mb2ic3ih4",
                                 "lrn:mb2ic3ih4ls3,alg=within",
                                 "eltwise:mb2ic3ih4iw2,alg=tanh,inplace=1",
                                 "eltwise:8x64x56x57",
                                 "softmax:mb3ic10,loss=1",
                                 "sum:mb2ic3ih4,inputs=3",
                                 "concat:mb2ih4,inputs=3+4+5",
                                 "split:mb2ic3ih4,inputs=4",
                                 "dropout:mb2ic30,ratio=0.25,inplace=1",
                                 "reorder:mb1g2oc4ic5kh3",
                                 "reorder:mb4ic5ih6"}) {
            const Layer layer = parse_layer(line);
            CHECK_MESSAGE(parse_layer(to_line(layer)) == layer, line, " -> ", to_line(layer));
        }
    }
}
