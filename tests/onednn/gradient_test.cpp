// The graph as a whole: the gradients that a step computes are the slope of its loss.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collectors/onednn/onednn_step.hpp"
#include "tests/onednn/tiny_network.hpp"

using namespace ridge;
using ridge::test::tiny_network;

namespace {

/// Cross-entropy in double from the probabilities of the last layer.
double loss_of(const TrainingStep& step) {
    for (const auto& kernel : step.kernels)
        if (kernel->description().key.pass == Pass::forward) kernel->execute();
    const std::vector<float> p = step.memory->read("loss", "dst");
    const std::vector<float> labels = step.memory->read("loss", "labels");
    const std::size_t classes = p.size() / labels.size();
    double loss = 0;
    for (std::size_t n = 0; n < labels.size(); ++n)
        loss -= std::log(static_cast<double>(p[n * classes + static_cast<std::size_t>(labels[n])]));
    return loss / static_cast<double>(labels.size());
}

double norm_of(const std::vector<float>& v) {
    double sum = 0;
    for (const float x : v) sum += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(sum);
}

/// (L(w + eps u) - L(w - eps u)) / 2 eps along the gradient's direction u: the gradient's norm if
/// the gradient is right, less if it points elsewhere. Steps are short where the loss is steep, so
/// that few units cross the kinks of ReLU and maximum.
double slope(const TrainingStep& step, const std::string& layer, const std::string& role,
             const std::vector<float>& gradient) {
    const std::vector<float> start = step.memory->read(layer, role);
    const double norm = norm_of(gradient);
    const double eps = 2e-3 / std::pow(1 + norm, 2);
    const auto moved = [&](double by) {
        std::vector<float> w = start;
        for (std::size_t i = 0; i < w.size(); ++i)
            w[i] += static_cast<float>(by * static_cast<double>(gradient[i]) / norm);
        step.memory->write(layer, role, w);
        return loss_of(step);
    };
    const double up = moved(eps), down = moved(-eps);
    step.memory->write(layer, role, start);
    return (up - down) / (2 * eps);
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("the gradients of a whole network are the slope of its loss") {
        for (const int threads : {1, 2}) {
            StepOptions options;
            options.threads = threads;
            const Network network = tiny_network(4);
            const TrainingStep step = build_onednn_step(network, options);
            CHECK(step.unavailable.empty());
            const double recorded = step.memory->read("loss", "loss").at(0);
            CHECK(loss_of(step) == doctest::Approx(recorded).epsilon(1e-5));
            int checked = 0;
            for (const NetworkLayer& layer : network.layers)
                for (const char* role : {"wei", "bias", "scale", "shift"}) {
                    const std::string& name = layer.layer.name;
                    const auto roles = step.memory->tensors(name);
                    if (std::find(roles.begin(), roles.end(), role) == roles.end()) continue;
                    CAPTURE(name);
                    CAPTURE(role);
                    const auto gradient = step.memory->read(name, std::string("diff_") + role);
                    // A bias in front of batch normalization has no effect: the mean takes it away.
                    if (name == "conv1" && std::string(role) == "bias") {
                        CHECK(norm_of(gradient) < 1e-5);
                        continue;
                    }
                    CHECK(norm_of(gradient) > 1e-4);
                    CHECK(slope(step, name, role, gradient) ==
                          doctest::Approx(norm_of(gradient)).epsilon(0.02));
                    ++checked;
                }
            CHECK(checked == 13);
        }
    }
}
