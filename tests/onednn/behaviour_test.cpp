// What a step promises beside right results.

#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "collectors/onednn/onednn_step.hpp"
#include "collectors/step/float_environment.hpp"
#include "ridge/error.hpp"
#include "tests/onednn/tiny_network.hpp"

using namespace ridge;
using ridge::test::tiny_network;

namespace {

using Snapshot = std::map<std::string, std::vector<float>>;

/// All tensors but those that a repeated row moves on by its nature.
Snapshot snapshot(const Network& network, const TrainingStep& step) {
    Snapshot all;
    for (const NetworkLayer& layer : network.layers)
        for (const std::string& role : step.memory->tensors(layer.layer.name))
            if (role.rfind("momentum", 0) != 0 && role.rfind("running", 0) != 0)
                all[layer.layer.name + " " + role] = step.memory->read(layer.layer.name, role);
    return all;
}

void run(const TrainingStep& step, int times_each = 1) {
    for (const auto& kernel : step.kernels)
        for (int i = 0; i < times_each; ++i) kernel->execute();
}

std::vector<std::string> parts(const TrainingStep& step, const std::string& layer, Pass pass) {
    std::vector<std::string> found;
    for (const auto& kernel : step.kernels) {
        const RowKey& key = kernel->description().key;
        if (key.layer == layer && key.pass == pass) found.push_back(key.part);
    }
    return found;
}

NetworkLayer make(const std::string& name, const std::string& line, std::vector<std::string> from) {
    Layer layer = parse_layer(line);
    layer.name = name;
    return {layer, std::move(from), training_passes(layer)};
}

Network two_convolutions() {
    Network network;
    network.name = "two convolutions";
    network.batch = 2;
    network.layers = {make("first", "conv:mb2ic64ih14oc64oh14kh3ph1", {"data"}),
                      make("relu", "eltwise:mb2ic64ih14,inplace=1", {"first"}),
                      make("second", "conv:mb2ic64ih14oc64oh14kh3ph1", {"relu"})};
    return network;
}

std::string refusal(const Network& network) {
    try {
        (void)build_onednn_step(network, {});
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_input);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a row repeated leaves what one execution leaves") {
        for (const DataType dtype : {DataType::f32, DataType::bf16}) {
            const Network network = with_dtype(tiny_network(3), dtype);
            StepOptions options;
            options.learning_rate = 0;  // else the weights move, as they should
            const TrainingStep step = build_onednn_step(network, options);
            run(step);
            const Snapshot once = snapshot(network, step);
            run(step, 5);
            const Snapshot repeated = snapshot(network, step);
            REQUIRE(once.size() > 60);
            for (const auto& [name, values] : once) {
                CAPTURE(name);
                CHECK(repeated.at(name) == values);
            }
        }
    }

    TEST_CASE("many executions leave every value finite and no denormal") {
        const Network network = tiny_network(2);
        const TrainingStep step = build_onednn_step(network, {});
        const auto weights = step.memory->read("ip1", "wei");
        for (int i = 0; i < 100; ++i) run(step, 2);
        const auto later = step.memory->read("ip1", "wei");
        CHECK(std::ranges::equal(later, weights, [](float a, float b) {
            return std::abs(a - b) <= 1e-4F * (std::abs(b) + 1e-2F);
        }));
        for (const auto& [name, values] : snapshot(network, step)) {
            CAPTURE(name);
            CHECK(std::ranges::all_of(values, [](float x) {
                return std::isfinite(x) && (x == 0 || std::abs(x) >= 0x1p-126F);
            }));
        }
    }

    TEST_CASE(
        "the step runs with the threads that were asked for, all of them flushing denormals") {
        for (const int threads : {1, 2}) {
            StepOptions options;
            options.threads = threads;
            const TrainingStep step = build_onednn_step(tiny_network(1), options);
            CHECK(omp_get_max_threads() == threads);
            int flushing = 0;
#pragma omp parallel reduction(+ : flushing)
            flushing += step::flushes_denormals() ? 1 : 0;
            CHECK(flushing == threads);
        }
    }

    TEST_CASE("one seed gives one step, whatever the number of threads") {
        const Network network = tiny_network(2);
        StepOptions options;
        const float one = build_onednn_step(network, options).memory->read("loss", "loss").at(0);
        options.threads = 2;
        const float two = build_onednn_step(network, options).memory->read("loss", "loss").at(0);
        CHECK(two == doctest::Approx(one).epsilon(1e-4));
        options.seed = 2;
        CHECK(build_onednn_step(network, options).memory->read("loss", "loss").at(0) != one);
    }

    TEST_CASE("blocked formats are carried from layer to layer, reorders are rows of their own") {
        const TrainingStep step = build_onednn_step(two_convolutions(), {});
        // Plain input in front of 64 channels, nothing between two convolutions.
        CHECK(parts(step, "first", Pass::forward) == std::vector<std::string>{"reorder src", ""});
        CHECK(parts(step, "relu", Pass::forward) == std::vector<std::string>{""});
        CHECK(parts(step, "second", Pass::forward) == std::vector<std::string>{""});
        CHECK(parts(step, "relu", Pass::backward) == std::vector<std::string>{""});
        CHECK(parts(step, "second", Pass::backward_weights) == std::vector<std::string>{""});
        CHECK(parts(step, "second", Pass::update) == std::vector<std::string>{""});
        for (const auto& kernel : step.kernels) {
            const Measurement& row = kernel->description();
            if (row.key.part.empty()) continue;
            CAPTURE(row.problem);
            CHECK(row.kind == LayerKind::reorder);
            const Layer layer = parse_layer(row.problem);
            CHECK(layer.kind == LayerKind::reorder);
            // 2 x 64 x 14 x 14 activations or 64 x 64 x 3 x 3 weights.
            const bool weights = row.key.part == "reorder wei";
            CHECK(tensors(layer, Pass::forward).at(0).elements ==
                  (weights ? 64 * 64 * 3 * 3 : 2 * 64 * 14 * 14));
        }
    }

    TEST_CASE("a layer alone gets its input in the library's format unless told otherwise") {
        const Network network = single_layer_network(parse_layer("conv:mb1ic64ih14oc64oh14kh3ph1"));
        CHECK(parts(build_onednn_step(network, {}), "conv", Pass::forward).size() == 1);
        StepOptions plain;
        plain.input_format = InputFormat::plain;
        CHECK(parts(build_onednn_step(network, plain), "conv", Pass::forward).size() == 2);
    }

    TEST_CASE("channels padded to whole blocks are marked in the formats") {
        const auto step =
            build_onednn_step(single_layer_network(parse_layer("conv:mb1ic16ih9oc6oh9kh3ph1")), {});
        const std::string formats = step.kernels.front()->description().formats;
        CAPTURE(formats);
        const auto dst = formats.find("dst:");
        REQUIRE(dst != std::string::npos);
        CHECK(formats.substr(dst).ends_with(":p"));
        CHECK(formats.find(":p") > formats.find(' '));  // src has whole blocks
    }

    TEST_CASE("a step that does not fit says how much it needs and what is there") {
        const std::string line = refusal(load_network("alexnet", 1'000'000));
        CAPTURE(line);
        CHECK(line.find("alexnet, batch 1000000") != std::string::npos);
        CHECK(line.find("needs") != std::string::npos);
        CHECK(line.find("available") != std::string::npos);
        CHECK(line.find("TB") != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
    }

    TEST_CASE("a network that cannot be run as it is wired is refused in one line") {
        Network network = two_convolutions();
        network.layers.push_back(make("third", "conv:mb2ic64ih14oc64oh14kh3ph1", {"first"}));
        CHECK(refusal(network).find("'relu'") != std::string::npos);  // in place, two readers

        network = two_convolutions();
        network.layers[1] = make("relu", "eltwise:mb2ic64ih14,alg=tanh", {"first"});
        network.layers[2] = make("second", "eltwise:mb2ic64ih14,inplace=1", {"relu"});
        CHECK(refusal(network).find("'second'") != std::string::npos);

        network = two_convolutions();
        network.layers[2].from = {"later"};
        network.layers.push_back(make("later", "conv:mb2ic64ih14oc64oh14kh3ph1", {"second"}));
        CHECK(refusal(network).find("'later'") != std::string::npos);

        CHECK(refusal(with_dtype(two_convolutions(), DataType::s8)).find("s8") !=
              std::string::npos);
    }

    // Run by its own ctest entry with the library limited to AVX2, which has no bf16 kernels.
    TEST_CASE("what the library lacks is listed with the reason, and the rest runs" *
              doctest::skip(std::getenv("ONEDNN_MAX_CPU_ISA") == nullptr)) {
        const TrainingStep step =
            build_onednn_step(with_dtype(tiny_network(2), DataType::bf16), {});
        REQUIRE_FALSE(step.unavailable.empty());
        for (const auto& [key, reason] : step.unavailable) {
            CHECK_FALSE(key.layer.empty());
            CHECK(reason.find("oneDNN") != std::string::npos);
        }
        CHECK(std::any_of(step.kernels.begin(), step.kernels.end(), [](const auto& kernel) {
            return kernel->description().implementation.rfind("ridge:", 0) == 0;
        }));
        run(step);
    }
}
