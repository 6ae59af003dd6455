// Every pass that OpenBLAS runs, against the naive reference on small awkward shapes.

#include <doctest/doctest.h>

#include "collectors/blas/blas_step.hpp"
#include "tests/onednn/check_layer.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

void check_all(const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
        for (const int threads : {1, 2}) {
            StepOptions options;
            options.threads = threads;
            CAPTURE(threads);
            const auto passes = check_layer(build_openblas_step, {line, DataType::f32, options, 1});
            CHECK(passes.size() == 3);
        }
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("convolution: odd channels, groups, stride, padding, dilation, 1x1, no bias") {
        check_all({"conv:mb1ic3oc5ih7kh3ph1", "conv:mb2ic17oc23ih9kh3sh2ph1",
                   "conv:mb2g2ic34oc6ih8kh3ph1", "conv:mb1g19ic19oc19ih11kh3ph1",
                   "conv:mb1ic16oc16ih13kh3dh1ph2", "conv:mb2ic32oc48ih8kh1sh2ph0,bias=0",
                   "conv:mb3ic16oc32ih7iw12kh3kw5ph0pw2", "conv:mb2g2ic32oc64ih6kh5ph2",
                   "conv:mb1ic8oc5ih6kh1ph0", "conv:mb3g2ic8oc6ih5iw3kh1ph0",
                   "conv:mb1ic3oc4ih12oh3kh5sh4ph0", "conv:mb1ic2oc3ih3oh7kh5ph4"});
    }

    TEST_CASE("inner product and matmul") {
        check_all({"ip:mb1ic7oc3", "ip:mb5ic33oc17", "ip:mb4ic16ih3oc20",
                   "ip:mb2ic5ih2iw3oc2,bias=0", "matmul:1x7:7x3", "matmul:5x33:33x17",
                   "matmul:4x16:16x2"});
    }
}
