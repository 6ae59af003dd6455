// The whole of the shipped networks under the tracer: what executes, and where its bytes come from.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "model/roofline/executed_work.hpp"
#include "ridge/network.hpp"
#include "tests/tracer/traced_layer.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Every convolution of a network once, whatever its name.
std::set<std::string> convolutions(const std::string& network) {
    std::set<std::string> lines;
    for (const NetworkLayer& node : load_network(network, 1).layers) {
        Layer layer = node.layer;
        layer.name.clear();
        if (layer.kind == LayerKind::convolution) lines.insert(to_line(layer));
    }
    return lines;
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("convolutions: executed FLOPs are the useful ones and a named excess, in all passes" *
              doctest::skip(!wide_vectors())) {
        std::set<std::string> lines;
        for (const char* network : {"alexnet", "resnet50", "vgg16", "googlenet"})
            lines.merge(convolutions(network));
        REQUIRE(lines.size() > 80);
        for (const std::string& line : lines) {
            TracedStep traced = traced_step(line);
            for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
                Kernel* kernel = traced.row(pass);
                if (kernel == nullptr) continue;
                CAPTURE(line);
                CAPTURE(to_string(pass));
                CAPTURE(kernel->description().implementation);
                const KernelTrace trace = traced.tracer->trace(*kernel, nullptr);
                REQUIRE(trace.unavailable == "");
                REQUIRE(trace.flops_unavailable == "");
                const double executed = trace.counts.flops();
                double sum = useful_flops(traced.layer, pass).value();
                for (const WorkDifference& part : explain_executed_work(
                         traced.layer, pass, executed, kernel->description().implementation,
                         kernel->description().formats)) {
                    CAPTURE(part.flops);
                    CHECK(part.cause != "not explained");
                    sum += part.flops;
                }
                CHECK(sum == doctest::Approx(executed).epsilon(1e-12));
            }
        }
    }
}
