// Memory of a training step, counted by hand.

#include <doctest/doctest.h>

#include <string>

#include "tests/workload/network_text.hpp"

using namespace ridge;
using namespace ridge::test;

TEST_SUITE("formula") {
    TEST_CASE("a chain with an in-place layer") {
        // Batch 2, f32. Elements: data 8, a and r 6, b 4, l 4.
        const Network network =
            network_of(with_layers("  - {name: a, problem: \"ip:ic4oc3\"}\n"
                                   "  - {name: r, problem: \"eltwise:ic3,inplace=1\"}\n"
                                   "  - {name: b, problem: \"ip:ic3oc2\"}\n"
                                   "  - {name: l, problem: \"softmax:ic2,loss=1\"}\n"),
                       2);
        const TrainingFootprint f = training_footprint(network);
        const double parameter_bytes = 4.0 * (4 * 3 + 3 + 3 * 2 + 2);
        CHECK(f.weights.value() == parameter_bytes);
        CHECK(f.weight_gradients.value() == parameter_bytes);
        CHECK(f.momentum.value() == parameter_bytes);
        CHECK(f.activations.value() == 4.0 * (8 + 6 + 4 + 4));
        // Of b from the loss 4; of a from b 6, which ReLU changes where it lies.
        CHECK(f.activation_gradients.value() == 4.0 * (4 + 6));
        CHECK(f.workspace.value() == 4.0 * 2);  // labels
        CHECK(f.total.value() == 3 * parameter_bytes + 4.0 * (22 + 10 + 2));
        // Data and r live from forward to the backward of a. At the end of forward: data, r, b, l,
        // labels = 24. Backward of l: data, r, l, labels, gradient of b = 24; b was last read by
        // the loss. Backward of b: data, r, both gradients = 24.
        CHECK(f.peak.value() == 3 * parameter_bytes + 4.0 * 24);
        CHECK(f.peak_at == "l forward");
    }

    TEST_CASE("a sum hands its gradient on, a split adds the gradients of its readers") {
        // 1 image, 8 elements everywhere: a -> {b, sum}, sum(a, b) -> r in place -> out.
        const Network network =
            network_of(with_layers("  - {name: a, problem: \"ip:ic8oc8,bias=0\"}\n"
                                   "  - {name: b, problem: \"ip:ic8oc8,bias=0\", from: a}\n"
                                   "  - {name: s, problem: \"sum:ic8\", from: [a, b]}\n"
                                   "  - {name: r, problem: \"eltwise:ic8,inplace=1\"}\n"),
                       1);
        const TrainingFootprint f = training_footprint(network);
        // data, a (the split is an alias), b, s (and r in place).
        CHECK(f.activations.value() == 32 * 4);
        // From outside (r changes it in place, the sum hands it to a and b); from b to the split;
        // from the split to a.
        CHECK(f.activation_gradients.value() == 32 * 3);
        // In the split's backward: data and both gradients and their sum; the rest was read.
        CHECK(f.peak.value() == 3 * 2 * 256 + 32 * 4);
    }

    TEST_CASE("a gradient that a sum shares is not overwritten in place") {
        // Both readers of the sum's gradient are in-place ReLUs: each needs a tensor of its own.
        const Network network =
            network_of(with_layers("  - {name: a, problem: \"ip:ic8oc8\"}\n"
                                   "  - {name: ra, problem: \"eltwise:ic8,inplace=1\"}\n"
                                   "  - {name: b, problem: \"ip:ic8oc8\", from: data}\n"
                                   "  - {name: rb, problem: \"eltwise:ic8,inplace=1\"}\n"
                                   "  - {name: s, problem: \"sum:ic8\", from: [ra, rb]}\n"
                                   "  - {name: p, problem: \"eltwise:ic8,inplace=1\"}\n"),
                       1);
        CHECK(training_footprint(network).activation_gradients.value() == 32 * 3);
    }

    TEST_CASE("workspaces: pooling indices, dropout mask, statistics of batch normalization") {
        const Network network =
            network_of(with_layers("  - {name: c, problem: \"conv:ic3ih8oc4kh3ph1\"}\n"
                                   "  - {name: n, problem: \"bnorm:ic4ih8\"}\n"
                                   "  - {name: p, problem: \"pool:ic4ih8kh2sh2\"}\n"
                                   "  - {name: d, problem: \"dropout:ic4ih4\"}\n"),
                       2);
        CHECK(training_footprint(network).workspace.value() == 2 * 4 * 4 + 2 * 64 + 2 * 64);
    }

    TEST_CASE("bf16 halves all but the parameters and statistics of batch normalization") {
        const std::string layers =
            "  - {name: c, problem: \"conv:ic3ih8oc4kh3ph1\"}\n"
            "  - {name: n, problem: \"bnorm:ic4ih8\"}\n";
        const Network f32 = network_of(with_layers(layers), 2);
        const TrainingFootprint whole = training_footprint(f32);
        const TrainingFootprint half = training_footprint(with_dtype(f32, DataType::bf16));
        CHECK(half.activations.value() == whole.activations.value() / 2);
        CHECK(half.activation_gradients.value() == whole.activation_gradients.value() / 2);
        CHECK(half.weights.value() == 2 * (4 * 3 * 9 + 4) + 4 * 8);
        CHECK(half.workspace.value() == whole.workspace.value());
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("the peak lies between the parameters and the total; activations grow with batch") {
        for (const auto& entry : shipped_networks()) {
            const Network one = load_network(entry.name, 1), eight = with_batch(one, 8);
            const TrainingFootprint a = training_footprint(one), b = training_footprint(eight);
            CAPTURE(entry.name);
            for (const TrainingFootprint& f : {a, b}) {
                const double parameters = (f.weights + f.weight_gradients + f.momentum).value();
                CHECK(f.peak.value() > parameters);
                CHECK(f.peak.value() <= f.total.value());
                CHECK(!f.peak_at.empty());
            }
            CHECK(b.activations.value() == 8 * a.activations.value());
            CHECK(b.activation_gradients.value() == 8 * a.activation_gradients.value());
            CHECK(b.weights.value() == a.weights.value());
        }
    }
}
