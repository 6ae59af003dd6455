// Counts of the library's kernels against what the layers' dimensions say they must be.
#include <doctest/doctest.h>

#include <algorithm>

#include "ridge/cachesim.hpp"
#include "ridge/layer.hpp"
#include "tests/tracer/traced_layer.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Executed FLOPs of direct convolutions: useful ones plus additions of partial sums.
struct Counted {
    std::string line;
    Pass pass;
    double additions;  ///< per output element of the pass, beyond the useful work
};

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("direct convolution: FLOPs are the taps inside the image plus named additions" *
              doctest::skip(!wide_vectors())) {
        // Partial sums of further blocks of 16 input (backward_data: output) channels, and the
        // bias: forward adds it, backward_weights sums it up. 1x1 starts its sums with the bias.
        for (const Counted& c : {
                 Counted{"conv:mb1ic64ih56oc64oh56kh3ph1", Pass::forward, 4},
                 Counted{"conv:mb1ic64ih56oc64oh56kh3ph1", Pass::backward_data, 3},
                 Counted{"conv:mb1ic64ih56oc64oh56kh3ph1", Pass::backward_weights, 1},
                 Counted{"conv:mb1ic256ih14oc256oh14kh3ph1", Pass::forward, 16},
                 Counted{"conv:mb1ic512ih7oc512oh7kh3ph1", Pass::forward, 32},
                 Counted{"conv:mb1ic3ih227oc96oh55kh11sh4ph0", Pass::forward, 1},
                 Counted{"conv:mb1ic256ih56oc64oh56kh1ph0", Pass::forward, 0},
             }) {
            CAPTURE(c.line);
            CAPTURE(to_string(c.pass));
            TracedStep traced = traced_step(c.line);
            Kernel* kernel = traced.row(c.pass);
            REQUIRE(kernel != nullptr);
            CAPTURE(kernel->description().implementation);
            kernel->execute();  // on the weights that the update left
            const auto before = outputs(*kernel);
            const KernelTrace trace = traced.tracer->trace(*kernel, nullptr);
            CHECK(trace.unavailable == "");
            CHECK(outputs(*kernel) == before);
            const Dims& d = traced.layer.dims;
            const double elements = static_cast<double>(d.mb * d.oc * d.oh * d.ow);
            const double useful = useful_flops(traced.layer, c.pass).value();
            CHECK(trace.flops_unavailable == "");
            CHECK(trace.counts.flops() == useful + c.additions * elements);
        }
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("the stream holds every line of the tensors, and no demand access outside them") {
        for (const bool compressed : {true, false}) {
            CAPTURE(compressed);
            TracedStep traced = traced_step("conv:mb2ic32ih20oc48oh20kh3ph1");
            for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
                CAPTURE(to_string(pass));
                Kernel* kernel = traced.row(pass);
                REQUIRE(kernel != nullptr);
                LineRecorder lines;
                TracerOptions options;
                options.compressed = compressed;
                const KernelTrace trace = traced.tracer->trace(*kernel, &lines, options);
                REQUIRE(trace.unavailable == "");
                lines.finish();
                for (const KernelTensor& tensor : kernel->tensors()) {
                    if (tensor.scratchpad) continue;
                    CAPTURE(tensor.role);
                    const std::uint64_t first = tensor.address / 64;
                    const std::uint64_t past = (tensor.address + tensor.bytes + 63) / 64;
                    const auto within = [&](const std::vector<std::uint64_t>& all) {
                        return std::lower_bound(all.begin(), all.end(), past) -
                               std::lower_bound(all.begin(), all.end(), first);
                    };
                    const auto expected = static_cast<std::ptrdiff_t>(past - first);
                    if (tensor.read) CHECK(within(lines.read) == expected);
                    if (tensor.written)
                        CHECK(within(lines.written) == expected);
                    else
                        CHECK(within(lines.written) == 0);
                }
                const KernelCounts& counts = trace.counts;
                const double loads = counts.scalar_loads.accesses + counts.vector_loads.accesses +
                                     counts.broadcast_loads.accesses;
                const double touched = lines.touches[static_cast<int>(TouchKind::load)] +
                                       lines.touches[static_cast<int>(TouchKind::modify)];
                // An access that straddles two lines touches both, in the compressed stream.
                CHECK(touched >= loads);
                if (!compressed) CHECK(touched == loads);
            }
        }
    }

    TEST_CASE("compressed and access by access, an LRU hierarchy moves the same bytes") {
        HierarchySpec spec;
        spec.levels = {{.name = "L1", .capacity_bytes = 48 << 10, .ways = 12},
                       {.name = "L2", .capacity_bytes = 256 << 10, .ways = 16},
                       {.name = "L3", .capacity_bytes = 1 << 20, .ways = 16}};
        for (const char* line :
             {"conv:mb2ic64ih28oc64oh28kh3ph1", "conv:mb2ic128ih14oc64oh14kh1ph0",
              "ip:mb8ic512oc256", "pool:mb2ic64ih28oh14kh3sh2ph1", "bnorm:mb2ic64ih28",
              "eltwise:4x64x28x28", "lrn:mb2ic64ih14ls5", "conv:mb1ic64ih28oc64oh28kh3ph1"}) {
            TracedStep traced = traced_step(line);
            for (const auto& kernel : traced.step.kernels) {
                CAPTURE(line);
                CAPTURE(to_string(kernel->description().key.pass));
                CAPTURE(kernel->description().implementation);
                if (!traced.tracer->trace(*kernel, nullptr).unavailable.empty()) continue;
                TracerOptions one_by_one;
                one_by_one.compressed = false;
                RowSource pieces(traced, *kernel), accesses(traced, *kernel, one_by_one);
                const Traffic a = simulate(pieces, spec), b = simulate(accesses, spec);
                for (std::size_t i = 0; i < spec.levels.size(); ++i) {
                    CAPTURE(spec.levels[i].name);
                    CHECK(a.levels[i].counts.read_bytes == b.levels[i].counts.read_bytes);
                    CHECK(a.levels[i].counts.written_bytes == b.levels[i].counts.written_bytes);
                }
            }
        }
    }
}
