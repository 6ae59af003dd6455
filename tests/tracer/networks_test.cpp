// The whole of the shipped networks under the tracer: what executes, and where its bytes come from.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "collectors/tracer/touched_lines.hpp"
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

TraceInfo regions_of(const Kernel& kernel) {
    TraceInfo info;
    for (const KernelTensor& tensor : kernel.tensors())
        info.regions.push_back(
            {tensor.role, tensor.address, static_cast<std::uint64_t>(tensor.bytes)});
    return info;
}

/// Every line of the tensors is read and written as their use says, nothing else is but the stack,
/// parameters and constants. Compiled parts of the library touch the rest: it copies a bias that is
/// no whole vector, sums the bias gradient of some kernels, and a stride beyond the kernel leaves
/// out source lines.
void check_footprint(const Kernel& kernel, const Layer& layer, const TouchedLines& touched) {
    const Dims& d = layer.dims;
    const auto tensors = kernel.tensors();
    const auto lines = touched.tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const KernelTensor& tensor = tensors[i];
        if (tensor.scratchpad) continue;
        CAPTURE(tensor.role);
        const bool copied = tensor.role == "bias" && d.oc % 16 != 0;
        const bool skipped = tensor.role == "src" && (d.sh > d.kh || d.sw > d.kw);
        const bool compiled = tensor.role == "diff_bias" && lines[i].written == 0;
        if (tensor.read && !copied && !skipped) CHECK(lines[i].read == lines[i].lines);
        if (tensor.written && !compiled) CHECK(lines[i].written == lines[i].lines);
        if (!tensor.written) CHECK(lines[i].written == 0);
    }
    CHECK(touched.other_lines() < 64);
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE(
        "convolutions of four networks: FLOPs are useful or a named excess, every line is touched" *
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
                TouchedLines touched(regions_of(*kernel));
                const KernelTrace trace = traced.tracer->trace(*kernel, &touched);
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
                check_footprint(*kernel, traced.layer, touched);
            }
        }
    }
}
