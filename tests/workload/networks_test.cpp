// The shipped networks against published totals, and the graph that the loader makes.

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "ridge/error.hpp"
#include "ridge/network.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;

namespace {

const NetworkLayer& layer_of(const Network& network, const std::string& name) {
    for (const auto& entry : network.layers)
        if (entry.layer.name == name) return entry;
    throw std::runtime_error("no layer " + name);
}

/// Multiply-adds of convolutions and inner products, padding taps counted, as papers do.
double multiply_adds(const Network& network) {
    double total = 0;
    for (const auto& entry : network.layers)
        if (entry.layer.kind == LayerKind::convolution ||
            entry.layer.kind == LayerKind::inner_product)
            total += simple_flops(entry.layer, Pass::forward).value() / 2;
    return total;
}

std::string error_of(const std::string& text) {
    test::TemporaryFolder folder;
    std::ofstream(folder.file("net.yaml")) << text;
    try {
        (void)load_network(folder.file("net.yaml"), 2);
    } catch (const Error& e) {
        CHECK(e.code() == ExitCode::bad_input);
        return std::string(e.what()).substr(folder.path().size() + 1);
    }
    return "no error";
}

void check_error(const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    CHECK_MESSAGE(error.find(part) != std::string::npos, error);
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("parameters and multiply-adds equal the published totals") {
        struct Published {
            const char* name;
            std::int64_t parameters;
            double multiply_adds;  ///< in millions; 0: none published
        };
        // Parameters: torchvision's model table (one-tower AlexNet, ResNet-50, VGG-16), the BVLC
        // models of Caffe (AlexNet, LeNet, CIFAR-10 quick, GoogLeNet without auxiliary heads).
        // Multiply-adds: the papers and the usual per-network tables, to their printed digits.
        for (const auto& [name, parameter_total, millions] :
             {Published{"alexnet", 60965224, 724}, Published{"alexnet_owt", 61100840, 714},
              Published{"resnet50", 25557032, 3858}, Published{"resnet50_v1.5", 25557032, 4089},
              Published{"vgg16", 138357544, 15470}, Published{"googlenet", 6998552, 1582},
              Published{"lenet", 431080, 0}, Published{"cifar10_quick", 145578, 0},
              Published{"mlp", 784 * 1024 + 2 * 1024 * 1024 + 1024 * 10 + 3 * 1024 + 10, 0}}) {
            const Network network = load_network(name, 1);
            CAPTURE(name);
            CHECK(parameters(network) == parameter_total);
            if (millions > 0)
                CHECK(multiply_adds(network) / 1e6 == doctest::Approx(millions).epsilon(0.002));
        }
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("every shipped network loads and has a description and a source") {
        CHECK(shipped_networks().size() >= 9);
        for (const auto& entry : shipped_networks()) {
            const Network network = load_network(entry.name, 3);
            CHECK(network.name == entry.name);
            CHECK(!network.source.empty());
            CHECK(!entry.description.empty());
            for (const auto& layer : network.layers) CHECK(layer.layer.dims.mb == 3);
        }
    }

    TEST_CASE("the first layer has no data gradient, and nothing before parameters has one") {
        const Network network = load_network("alexnet", 1);
        const auto has = [&](const char* name, Pass pass) {
            const auto& passes = layer_of(network, name).passes;
            return std::find(passes.begin(), passes.end(), pass) != passes.end();
        };
        CHECK(!has("conv1", Pass::backward_data));
        CHECK(has("conv1", Pass::backward_weights));
        CHECK(has("conv2", Pass::backward_data));
        CHECK(has("relu1", Pass::backward));
        CHECK(has("conv1", Pass::update));
    }

    TEST_CASE("a tensor with several readers gets a split that sums their gradients") {
        const Network network = load_network("googlenet", 2);
        const NetworkLayer& split = layer_of(network, "pool2_split");
        CHECK(split.layer.kind == LayerKind::split);
        CHECK(split.layer.inputs.size() == 4);
        CHECK(split.from == std::vector<std::string>{"pool2"});
        CHECK(layer_of(network, "inception_3a_1x1").from ==
              std::vector<std::string>{"pool2_split"});
        // 3 additions per element.
        CHECK(useful_flops(split.layer, Pass::backward).value() == 3.0 * 2 * 192 * 28 * 28);
    }

    TEST_CASE("footprint of a small network by hand") {
        // ip 4->3, relu in place, ip 3->2, loss; batch 2, f32.
        test::TemporaryFolder folder;
        std::ofstream(folder.file("net.yaml"))
            << "name: tiny\nlayers:\n"
               "  - {name: a, problem: \"ip:ic4oc3\"}\n"
               "  - {name: r, problem: \"eltwise:ic3,inplace=1\"}\n"
               "  - {name: b, problem: \"ip:ic3oc2\"}\n"
               "  - {name: l, problem: \"softmax:ic2,loss=1\"}\n";
        const TrainingFootprint f = training_footprint(load_network(folder.file("net.yaml"), 2));
        const double parameter_bytes = 4.0 * (4 * 3 + 3 + 3 * 2 + 2);
        CHECK(f.weights.value() == parameter_bytes);
        CHECK(f.momentum.value() == parameter_bytes);
        // data 8, a/r 6, b 4, l 4 elements.
        CHECK(f.activations.value() == 4.0 * (8 + 6 + 4 + 4));
        // of b (by the loss layer) 4, of r = a (in place) 6.
        CHECK(f.activation_gradients.value() == 4.0 * (4 + 6));
        CHECK(f.total.value() == 3 * parameter_bytes + f.activations.value() + 40);
        // Backward of b: data, a/r, and both gradients are alive; b and l are not.
        CHECK(f.peak.value() <= f.total.value());
        CHECK(f.peak.value() >= 3 * parameter_bytes + 4.0 * (8 + 6 + 4 + 6));
    }

    TEST_CASE("repeated layers are unrolled") {
        test::TemporaryFolder folder;
        std::ofstream(folder.file("net.yaml"))
            << "name: deep\nlayers:\n"
               "  - {name: a, times: 3, problem: \"ip:ic4oc4\"}\n";
        const Network network = load_network(folder.file("net.yaml"), 1);
        REQUIRE(network.layers.size() == 3);
        CHECK(network.layers[2].layer.name == "a.3");
        CHECK(network.layers[2].from.front() == "a.2");
    }

    TEST_CASE("errors of a network file name the line and the layer") {
        check_error("name: x\nlayers: []\n", "net.yaml:2: layers: expected at least one layer");
        check_error("name: x\nlayer:\n  - {name: a, problem: \"ip:ic4oc3\"}\n",
                    "net.yaml:2: layer: expected a known key such as 'layers'");
        check_error("name: x\nlayers:\n  - {name: a, problem: \"ip:ic4\"}\n",
                    "net.yaml:3: layers[0].problem: layer 'ip:ic4': oc: expected the key");
        check_error(
            "name: x\nlayers:\n  - {name: a, problem: \"ip:ic4oc3\"}\n"
            "  - {name: b, problem: \"ip:ic5oc3\"}\n",
            "layer 'b': expected an input of 5 channels of 1x1 as its line says, found 3 channels");
        check_error("name: x\nlayers:\n  - {name: a, from: z, problem: \"ip:ic4oc3\"}\n",
                    "expected 'from' to name layers above this one, or data, found 'z'");
        check_error(
            "name: x\nlayers:\n  - {name: a, problem: \"ip:ic4oc3\"}\n"
            "  - {name: a, problem: \"ip:ic3oc3\"}\n",
            "'a' twice");
        check_error("name: [x\n", "expected YAML");
        check_error("", "expected");
    }

    TEST_CASE("an unknown network names the nearest known one; a batch below 1 is refused") {
        CHECK_THROWS_WITH_AS((void)load_network("alexnt", 1),
                             doctest::Contains("such as 'alexnet'"), Error);
        CHECK_THROWS_WITH_AS((void)load_network("alexnet", 0),
                             doctest::Contains("batch: expected 1 to"), Error);
        CHECK_THROWS_AS((void)load_network("/no/such/file.yaml", 1), Error);
    }
}
