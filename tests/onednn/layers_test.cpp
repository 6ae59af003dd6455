// Every kind, every pass, against the naive reference on small awkward shapes.

#include <doctest/doctest.h>

#include "collectors/onednn/onednn_step.hpp"
#include "tests/onednn/check_layer.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

void check_all(const std::vector<std::string>& lines, double source_scale = 1) {
    struct Case {
        DataType dtype;
        InputFormat format;
        int threads;
    };
    for (const std::string& line : lines)
        for (const Case& c : {Case{DataType::f32, InputFormat::plain, 1},
                              Case{DataType::f32, InputFormat::library, 2},
                              Case{DataType::bf16, InputFormat::library, 1}}) {
            StepOptions options;
            options.input_format = c.format;
            options.threads = c.threads;
            options.learning_rate = 0.125;
            CAPTURE(c.threads);
            const auto passes =
                check_layer(build_onednn_step, {line, c.dtype, options, source_scale});
            // A machine without bf16 has none of these kernels; f32 is always there.
            if (c.dtype == DataType::f32) CHECK_FALSE(passes.empty());
        }
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("convolution: odd channels, groups, stride, padding, dilation, no bias") {
        check_all({"conv:mb1ic3oc5ih7kh3ph1", "conv:mb2ic17oc23ih9kh3sh2ph1",
                   "conv:mb2g2ic34oc6ih8kh3ph1", "conv:mb1g19ic19oc19ih11kh3ph1",
                   "conv:mb1ic16oc16ih13kh3dh1ph2", "conv:mb2ic32oc48ih8kh1sh2ph0,bias=0",
                   "conv:mb3ic16oc32ih7iw12kh3kw5ph0pw2", "conv:mb2g2ic32oc64ih6kh5ph2"});
    }

    TEST_CASE("inner product on vectors and on images") {
        check_all({"ip:mb1ic7oc3", "ip:mb5ic33oc17", "ip:mb4ic16ih3oc20", "ip:mb2ic5ih2iw3oc9",
                   "ip:mb8ic64oc64,bias=0"});
    }

    TEST_CASE("matmul") {
        check_all({"matmul:1x7:7x3", "matmul:5x33:33x17", "matmul:4x16:16x16"});
    }

    TEST_CASE("pooling: maximum and both averages") {
        check_all({"pool:mb2ic19ih9oh4kh3sh2ph0", "pool:mb1ic16ih7oh4kh3sh2ph1",
                   "pool:mb2ic5ih6oh6kh3sh1ph1,alg=avg_p", "pool:mb2ic33ih8oh4kh3sh2ph1,alg=avg_np",
                   "pool:mb1ic32ih7oh1kh7ph0,alg=avg_np"});
    }

    TEST_CASE("batch normalization in training") {
        check_all({"bnorm:mb3ic17ih5", "bnorm:mb2ic32ih4iw6"});
    }

    TEST_CASE("local response normalization across and within channels") {
        // Large inputs: with unit ones the window would hardly matter.
        check_all({"lrn:mb2ic19ih5ls5", "lrn:mb1ic32ih4ls5", "lrn:mb1ic7ih6ls3,alg=within"}, 100);
    }

    TEST_CASE("element-wise: out of place and in place") {
        check_all({"eltwise:2x19x5x5", "eltwise:2x19x5x5,inplace=1", "eltwise:3x50,inplace=1",
                   "eltwise:1x17x3x3,alg=tanh", "eltwise:2x7,alg=tanh,inplace=1",
                   "eltwise:1x16x3x3,alg=logistic", "eltwise:2x7,alg=logistic,inplace=1"});
    }

    TEST_CASE("softmax with and without the loss") {
        check_all({"softmax:3x10", "softmax:5x37,loss=1", "softmax:1x1000,loss=1"});
    }

    TEST_CASE("sum, concat, split, reorder") {
        check_all({"sum:mb2ic19ih5", "sum:mb1ic16ih3,inputs=3", "concat:mb2ih5,inputs=3+17+8",
                   "concat:mb1ih4,inputs=16+32", "split:mb2ic19ih5", "split:mb1ic32ih3,inputs=3",
                   "reorder:mb2ic19ih5", "reorder:mb1ic32ih4"});
    }

    TEST_CASE("dropout") {
        for (const char* line : {"dropout:mb2ic19ih5", "dropout:mb3ic50ih1,inplace=1",
                                 "dropout:mb2ic64ih4,ratio=0.25"})
            for (const DataType dtype : {DataType::f32, DataType::bf16}) {
                StepOptions options;
                options.input_format = InputFormat::plain;  // the mask is read in memory order
                check_layer(build_onednn_step, {line, dtype, options, 1});
            }
    }
}
