// From a list of layers to the graph of a training step.

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/workload/network_text.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

std::string error_of(const std::string& layers) {
    try {
        (void)network_of(with_layers(layers), 2);
    } catch (const Error& e) {
        CHECK(e.code() == ExitCode::bad_input);
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("the first layer has no data gradient, and nothing before parameters has one") {
        const Network alexnet = load_network("alexnet", 1);
        CHECK(!has_pass(alexnet, "conv1", Pass::backward_data));
        CHECK(has_pass(alexnet, "conv1", Pass::backward_weights));
        CHECK(has_pass(alexnet, "conv2", Pass::backward_data));
        CHECK(has_pass(alexnet, "relu1", Pass::backward));
        CHECK(has_pass(alexnet, "conv1", Pass::update));
        CHECK(!has_pass(alexnet, "relu1", Pass::update));

        const Network late =
            network_of(with_layers("  - {name: n, problem: \"lrn:ic3ih8\"}\n"
                                   "  - {name: p, problem: \"pool:ic3ih8kh2sh2\"}\n"
                                   "  - {name: b, problem: \"bnorm:ic3ih4\"}\n"
                                   "  - {name: r, problem: \"eltwise:ic3ih4\"}\n"),
                       2);
        CHECK(!has_pass(late, "n", Pass::backward));
        CHECK(!has_pass(late, "p", Pass::backward));
        CHECK(has_pass(late, "b", Pass::backward));  // for its own scale and shift
        CHECK(has_pass(late, "r", Pass::backward));
    }

    TEST_CASE("the passes of a layer stand in the order forward, backward, update") {
        for (const char* name : {"alexnet", "resnet50"})
            for (const auto& entry : load_network(name, 1).layers) {
                const auto position = [](Pass pass) {
                    return std::find(all_passes.begin(), all_passes.end(), pass);
                };
                CHECK(std::is_sorted(entry.passes.begin(), entry.passes.end(),
                                     [&](Pass a, Pass b) { return position(a) < position(b); }));
            }
    }

    TEST_CASE("a tensor with several readers gets a split that sums their gradients") {
        const Network network = load_network("googlenet", 2);
        const NetworkLayer& split = layer_of(network, "pool2_split");
        CHECK(split.layer.kind == LayerKind::split);
        CHECK(split.layer.inputs.size() == 4);
        CHECK(split.from == std::vector<std::string>{"pool2"});
        CHECK(split.passes == std::vector{Pass::backward});
        for (const char* reader : {"inception_3a_1x1", "inception_3a_3x3_reduce",
                                   "inception_3a_5x5_reduce", "inception_3a_pool"})
            CHECK(layer_of(network, reader).from == std::vector<std::string>{"pool2_split"});
        // 3 additions per element.
        CHECK(useful_flops(split.layer, Pass::backward).value() == 3.0 * 2 * 192 * 28 * 28);
        // Every layer is read by at most one other; only splits by several.
        std::map<std::string, int> readers;
        for (const auto& entry : network.layers)
            for (const auto& producer : entry.from) ++readers[producer];
        for (const auto& entry : network.layers)
            if (entry.layer.kind != LayerKind::split) CHECK(readers[entry.layer.name] <= 1);
    }

    TEST_CASE("a split before all parameters sums nothing, and finds a free name") {
        const Network network =
            network_of(with_layers("  - {name: n, problem: \"lrn:ic3ih8\"}\n"
                                   "  - {name: n_split, problem: \"pool:ic3ih8kh2sh2\", from: n}\n"
                                   "  - {name: p, problem: \"pool:ic3ih8kh2sh2\", from: n}\n"
                                   "  - {name: s, problem: \"sum:ic3ih4\", from: [n_split, p]}\n"),
                       2);
        CHECK(layer_of(network, "n_split").layer.kind == LayerKind::pooling);
        CHECK(layer_of(network, "n_split_").layer.kind == LayerKind::split);
        CHECK(layer_of(network, "n_split_").passes.empty());
        CHECK(layer_of(network, "p").from == std::vector<std::string>{"n_split_"});
    }

    TEST_CASE("an inner product takes the shape that arrives") {
        const Network network =
            network_of(with_layers("  - {name: c, problem: \"conv:ic3ih8oc4kh3\"}\n"
                                   "  - {name: f, problem: \"ip:ic144oc10\"}\n"),
                       2);
        const Dims& d = layer_of(network, "f").layer.dims;
        CHECK(d.ic == 4);
        CHECK(d.ih == 6);
        CHECK(d.iw == 6);
        CHECK(parameters(layer_of(network, "f").layer) == 1450);
    }

    TEST_CASE("shapes that do not fit are named with line, layer and producer") {
        CHECK(error_of("  - {name: a, problem: \"ip:ic4oc3\"}\n"
                       "  - {name: b, problem: \"ip:ic5oc3\"}\n") ==
              "net.yaml:4: layers[1]: layer 'b': expected an input of 5 channels of 1x1 as its "
              "line says, found 3 channels of 1x1 from 'a'");
        CHECK(error_of("  - {name: a, problem: \"conv:ic3ih8oc4kh3\"}\n"
                       "  - {name: b, problem: \"pool:ic4ih7kh2sh2\"}\n") ==
              "net.yaml:4: layers[1]: layer 'b': expected an input of 4 channels of 7x7 as its "
              "line says, found 4 channels of 6x6 from 'a'");
        CHECK(error_of("  - {name: a, problem: \"conv:ic3ih8oc4kh3\"}\n"
                       "  - {name: b, problem: \"conv:ic1ih8oc4kh3\", from: data}\n")
                  .find("3 channels of 8x8 from 'data'") != std::string::npos);
        CHECK(error_of("  - {name: a, problem: \"conv:ic3ih8oc4kh3\"}\n"
                       "  - {name: b, problem: \"conv:ic4ih6oc4kh3ph1\"}\n"
                       "  - {name: s, problem: \"sum:ic4ih6,inputs=3\", from: [a, b]}\n") ==
              "net.yaml:5: layers[2]: layer 's': expected 3 producers, found 2");
        CHECK(error_of("  - {name: a, problem: \"conv:ic3ih8oc4kh3\"}\n"
                       "  - {name: b, problem: \"conv:ic4ih6oc5kh3ph1\"}\n"
                       "  - {name: s, problem: \"concat:ih6,inputs=5+4\", from: [a, b]}\n")
                  .find("an input of 5 channels of 6x6 as its line says, found 4 channels") !=
              std::string::npos);
    }

    TEST_CASE("in place is refused where another layer needs what it overwrites") {
        const std::string conv = "  - {name: a, problem: \"conv:ic3ih8oc4kh3\"}\n";
        CHECK(error_of(conv + "  - {name: r, problem: \"eltwise:ic4ih6,inplace=1\"}\n"
                              "  - {name: b, problem: \"conv:ic4ih6oc4kh3\", from: a}\n") ==
              "net.yaml:4: layers[1]: layer 'r': inplace: expected no other reader of 'a', found 2 "
              "readers");
        CHECK(error_of("  - {name: r, problem: \"eltwise:ic4ih6,inplace=1\"}\n").find("'data'") !=
              std::string::npos);
        CHECK(error_of(conv + "  - {name: t, problem: \"eltwise:ic4ih6,alg=tanh\"}\n"
                              "  - {name: d, problem: \"dropout:ic4ih6,inplace=1\"}\n")
                  .find("found the output of 't'") != std::string::npos);
        CHECK(error_of(conv + "  - {name: r, problem: \"eltwise:ic4ih6,inplace=1\"}\n"
                              "  - {name: d, problem: \"dropout:ic4ih6,inplace=1\"}\n"
                              "  - {name: l, problem: \"eltwise:ic4ih6,alg=logistic,inplace=1\"}\n")
                  .find("found the output of 'r'") != std::string::npos);
        // ReLU needs the sign only, which dropout leaves wherever a gradient passes.
        CHECK(error_of(conv + "  - {name: r, problem: \"eltwise:ic4ih6,inplace=1\"}\n"
                              "  - {name: d, problem: \"dropout:ic4ih6,inplace=1\"}\n") ==
              "no error");
    }

    TEST_CASE("batch and data type reach every layer; work beyond exact counting is refused") {
        const Network network =
            with_dtype(with_batch(load_network("resnet50", 1), 7), DataType::bf16);
        for (const auto& entry : network.layers) {
            CHECK(entry.layer.dims.mb == 7);
            CHECK(entry.layer.dtype == DataType::bf16);
        }
        CHECK_THROWS_WITH_AS((void)with_batch(network, 0), "batch: expected 1 to 1000000, found 0",
                             Error);
        CHECK_THROWS_WITH_AS((void)with_batch(network, 1000001),
                             "batch: expected 1 to 1000000, found 1000001", Error);
        const Network huge =
            network_of(with_layers("  - {name: a, problem: \"conv:ic512ih224oc512kh3ph1\"}\n"), 1);
        CHECK_THROWS_WITH_AS((void)with_batch(huge, 1000000),
                             doctest::Contains("batch 1000000: layer 'a': expected less than 9e15"),
                             Error);
    }

    TEST_CASE("a single layer is a network with all its passes") {
        const Layer conv = parse_layer("conv:mb4ic3ih8oc4kh3n\"c\"");
        const Network network = single_layer_network(conv);
        REQUIRE(network.layers.size() == 1);
        CHECK(network.batch == 4);
        CHECK(network.name == "conv:mb4ic3oc4ih8oh6kh3ph0");
        CHECK(network.layers[0].layer == conv);
        CHECK(network.layers[0].passes == training_passes(conv));
        const Network sum = single_layer_network(parse_layer("sum:2x3,inputs=3"));
        CHECK(sum.layers[0].layer.name == "sum");
        CHECK(sum.layers[0].from.size() == 3);
    }
}
