// Network files: what they may hold, and what is said about those that are wrong.

#include <doctest/doctest.h>

#include <string>

#include "tests/workload/network_text.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

void check_error(const std::string& text, const std::string& part) {
    std::string error = "no error";
    try {
        (void)network_of(text, 2);
    } catch (const Error& e) {
        CHECK(e.code() == ExitCode::bad_input);
        error = e.what();
    }
    CHECK_MESSAGE(error.find(part) != std::string::npos, error);
    CHECK(error.find('\n') == std::string::npos);
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("names from the line, producers by default the layer above, batch from outside") {
        const Network network =
            network_of(with_layers("  - problem: conv:mb99ic3ih8oc4kh3n\"c1\"\n"
                                   "  - problem: eltwise:1x4x6x6n\"r1\",inplace=1\n"),
                       5);
        REQUIRE(network.layers.size() == 2);
        CHECK(network.layers[0].layer.name == "c1");
        CHECK(network.layers[0].from.front() == "data");
        CHECK(network.layers[1].from.front() == "c1");
        CHECK(network.layers[1].layer.dims.mb == 5);
    }

    TEST_CASE("repeated layers are unrolled") {
        const Network network =
            network_of(with_layers("  - {name: a, times: 3, problem: \"ip:ic4oc4\"}\n"
                                   "  - {name: b, problem: \"ip:ic4oc2\"}\n"),
                       1);
        REQUIRE(network.layers.size() == 4);
        CHECK(network.layers[2].layer.name == "a.3");
        CHECK(network.layers[2].from.front() == "a.2");
        CHECK(network.layers[3].from.front() == "a.3");
    }

    TEST_CASE("errors name the file's line, the key, what was expected and what was found") {
        check_error("name: x\nlayers: []\n",
                    "net.yaml:2: layers: expected at least one layer, found none");
        check_error("name: x\nlayer:\n  - {name: a, problem: \"ip:ic4oc3\"}\n",
                    "net.yaml:2: layer: expected a known key such as 'layers', found 'layer'");
        check_error("layers:\n  - {name: a, problem: \"ip:ic4oc3\"}\n",
                    "expected the key 'name', found none");
        check_error(with_layers("  - {name: a, problem: \"ip:ic4\"}\n"),
                    "net.yaml:3: layers[0].problem: layer 'ip:ic4': oc: expected the key, as in "
                    "oc64, found none");
        check_error(with_layers("  - {problem: \"ip:ic4oc3\"}\n"),
                    "net.yaml:3: layers[0]: expected a name for the layer, found none");
        check_error(with_layers("  - {name: a}\n"),
                    "net.yaml:3: layers[0]: expected the key 'problem', found none");
        check_error(with_layers("  - ip:ic4oc3\n"), "net.yaml:3: layers[0]: expected keys and");
        check_error(with_layers("  - {name: b, problem: \"ip:ic4oc3n\\\"a\\\"\"}\n"),
                    "layers[0].name: expected the name in the layer's line, 'a', found 'b'");
        check_error(with_layers("  - {name: data, problem: \"ip:ic4oc3\"}\n"),
                    "'data' is the input of the network");
        check_error(with_layers("  - {name: a, from: z, problem: \"ip:ic4oc3\"}\n"),
                    "net.yaml:3: layers[0]: expected 'from' to name layers above this one, or "
                    "data, found 'z'");
        check_error(with_layers("  - {name: a, problem: \"ip:ic4oc3\"}\n"
                                "  - {name: a, problem: \"ip:ic3oc3\"}\n"),
                    "net.yaml:4: layers[1]: expected a name of its own for each layer, found 'a' "
                    "twice");
        check_error(with_layers("  - {name: a, problem: \"ip:ic4oc3\"}\n"
                                "  - {name: s, problem: \"sum:ic3\", from: [a, a]}\n"),
                    "net.yaml:4: layers[1].from: expected each producer once, found a, a");
        check_error(with_layers("  - {name: a, problem: \"ip:ic4oc3\", from: []}\n"),
                    "expected the name of a layer, or a list of names, found an empty list");
        check_error(with_layers("  - {name: a, problem: \"matmul:4x4:4x4\"}\n"),
                    "layers[0].problem: expected a layer of a network, found 'matmul', which "
                    "stands alone");
        check_error(with_layers("  - {name: a, times: 0, problem: \"ip:ic4oc4\"}\n"),
                    "layers[0].times: expected a whole number of at least 1, found '0'");
        check_error(with_layers("  - {name: a, from: data, tims: 2, problem: \"ip:ic4oc4\"}\n"),
                    "expected a known key such as 'times', found 'tims'");
        check_error(
            "name: x\npublished:\n  - {source: us}\nlayers:\n"
            "  - {name: a, problem: \"ip:ic4oc3\"}\n",
            "net.yaml:3: published[0]: expected one of the keys parameters, "
            "multiply_adds, found neither");
        check_error("name: [x\n", "expected YAML");
        check_error("", "net.yaml: expected");
        check_error("just text\n", "expected keys and values, found 'just text'");
    }

    TEST_CASE("too many layers are refused before memory is") {
        std::string layers;
        for (int i = 0; i < 21; ++i)
            layers +=
                "  - {name: a" + std::to_string(i) + ", times: 1000, problem: \"ip:ic4oc4\"}\n";
        check_error(with_layers(layers), "expected at most 20000 layers, found more");
    }

    TEST_CASE("an unknown network names the nearest known one; a missing file its path") {
        CHECK_THROWS_WITH_AS((void)load_network("alexnt", 1),
                             doctest::Contains("network: expected a known one such as 'alexnet' "
                                               "(alexnet, alexnet_owt, cifar10_quick,"),
                             Error);
        CHECK_THROWS_WITH_AS((void)load_network("x", 1),
                             doctest::Contains("vgg16 or a YAML file, found 'x'"), Error);
        CHECK_THROWS_WITH_AS((void)load_network("/no/such/file.yaml", 1),
                             doctest::Contains("/no/such/file.yaml"), Error);
        CHECK_THROWS_AS((void)load_network("/", 1), Error);
    }
}
