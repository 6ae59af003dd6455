// Traps that other tools fell into, with the numbers of their reports; the ids are those of the
// project's list of pitfalls.

#include <doctest/doctest.h>

#include "model/roofline/traffic_cause.hpp"
#include "ridge/counter_names.hpp"
#include "ridge/network.hpp"
#include "ridge/roofline.hpp"
#include "synthetic.hpp"
#include "tests/machine/small_machine.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr double n = 1e6;  // doubles

std::string cause(double counted, double read, double written) {
    return traffic_cause(Bytes(counted), Bytes(read), Bytes(written));
}

Measurement part_of(const char* layer, const char* part, double time_us) {
    Measurement m =
        row(time_us * 1e-6, part[0] == '\0' ? LayerKind::convolution : LayerKind::reorder);
    m.key = {layer, Pass::forward, part};
    m.problem = part[0] == '\0' ? "conv:mb2ic16ih7oc16oh7kh5ph2" : "reorder:2x16x7x7";
    return m;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("a step costs three times its forward pass but for the first layer (A15)") {
        double first = 0, later = 0;
        Network network = load_network("lenet", 1);
        for (NetworkLayer& layer : network.layers) {
            if (layer.layer.kind != LayerKind::convolution &&
                layer.layer.kind != LayerKind::inner_product)
                continue;
            double all = 0;
            for (const Pass pass : layer.passes)
                if (pass != Pass::update) all += useful_flops(layer.layer, pass).value();
            const double ratio = all / useful_flops(layer.layer, Pass::forward).value();
            (first == 0 ? first : later) = ratio;
            if (later != 0) CHECK(later == 3);
        }
        CHECK(first == 2);
        CHECK(later == 3);
    }

    TEST_CASE("a layer of several rows has its FLOPs once, and helpers their time (A19)") {
        Run run;
        run.info.network = "one";
        run.rows = {part_of("c", "reorder src", 8.832), part_of("c", "reorder wei", 47.167),
                    part_of("c", "reorder dst", 2.208), part_of("c", "", 449.369),
                    part_of("c", "reorder diff", 8.928)};
        const RunAnalysis a = ridge::analyse(run, small_machine());
        double flops = 0, helpers = 0;
        for (const RowAnalysis& one : a.rows) {
            flops += one.useful_flops.value();
            if (!one.row.key.part.empty()) helpers += one.share_of_step;
        }
        CHECK(flops == 861184);
        CHECK(a.sum.value() == doctest::Approx(516.504e-6));
        CHECK(helpers == doctest::Approx(0.13).epsilon(0.01));
        CHECK(a.convolution_share == doctest::Approx(1));
    }

    TEST_CASE("a rate beyond the vector roof is the matrix unit's, whatever the name says (A19)") {
        auto r = roofline(67e3, {bandwidth_roof("DRAM", 3e12)});
        r.compute.insert(r.compute.begin(),
                         {"AMX BF16", Isa::amx, true, FlopsPerSecond(990e12), Source::measured});
        const auto fast = analyse(row(1e-3), demand(600e9, {{"DRAM", 1e6}}), r);
        CHECK(
            flagged(fast, "matrix unit in use: 600 TFLOP/s is beyond the AVX-512 FMA roof of 67"));
        const auto slow = analyse(row(1e-3, LayerKind::convolution, "jit:avx512_core_amx"),
                                  demand(60e9, {{"DRAM", 1e6}}), r);
        CHECK_FALSE(flagged(slow, "matrix unit"));
    }

    TEST_CASE("write-allocate explains 24 bytes of a copied double, 32 of a triad (B1)") {
        CHECK(cause(16 * n, 8 * n, 8 * n).empty());
        CHECK(cause(24 * n, 8 * n, 8 * n).starts_with("write-allocate: each line"));
        CHECK(cause(24 * n, 16 * n, 8 * n).empty());
        CHECK(cause(32 * n, 16 * n, 8 * n).starts_with("write-allocate: each line"));
        CHECK(cause(8 * n, 8 * n, 0).empty());
        CHECK(cause(12 * n, 8 * n, 0).empty());  // a sum that reads 1.5 times: not explained
    }

    TEST_CASE("20.4 bytes of a copied double lie in the band of SpecI2M (B2)") {
        CHECK(cause(20.4 * n, 8 * n, 8 * n).find("55.0 % of them") != std::string::npos);
        CHECK(cause(17 * n, 8 * n, 8 * n).starts_with("write-allocate"));
        CHECK(cause(27 * n, 8 * n, 8 * n).empty());  // beyond it, and no whole number of passes
    }

    TEST_CASE(
        "batch normalization of 128 MB that moves 3.9 times as much: 3 reads, 1 write (B16)") {
        const double tensor = 128e6;
        CHECK(cause(3.9 * tensor, tensor, tensor) == "3 reads of the inputs and a write");
        auto bnorm = row(5.5e-3, LayerKind::batch_normalization);
        Demand d = demand(0, {{"DRAM", 3.9 * tensor}});
        d.inputs = d.outputs = Bytes(tensor);
        d.traffic.front().source = Source::measured;
        const auto a = analyse(bnorm, d, golden_roofline());
        CHECK(a.bound == Bound::memory);
        CHECK(flagged(a,
                      "more bytes: DRAM moves 1.95 x the bytes of the tensors (measured): 3 reads "
                      "of the inputs and a write"));
        CHECK(contradictions(a).empty());
    }

    TEST_CASE(
        "roofs are those of the run's threads, and a figure that somebody gave says so (B12)") {
        Machine m = small_machine();
        m.cores = m.threads = 28;
        m.compute = {
            {Isa::avx512, true, DataType::f32, 4, {340e9, Source::measured, 0.01, ""}, {}, {}},
            {Isa::avx512, true, DataType::f32, 28, {2e12, Source::measured, 0.01, ""}, {}, {}}};
        const Roofline measured = make_roofline(m, DataType::f32, 4);
        CHECK(measured.threads == 4);
        CHECK(measured.compute.front().rate.value() == 340e9);
        CHECK(measured.compute.front().source == Source::measured);
        apply_what_if(m, "compute.f32=1 TFLOP/s");
        CHECK(make_roofline(m, DataType::f32, 4).compute.front().source == Source::given);
    }

    TEST_CASE("denormals: more than one assist per thousand instructions (C14)") {
        CHECK(denormals_found(1001, 1e6));
        CHECK_FALSE(denormals_found(1000, 1e6));
        CHECK_FALSE(denormals_found(0, 0));
        auto m = row(1e-3);
        m.counters.emplace(counter::fp_assists, Reading(20e3, Source::measured));
        m.counters.emplace(counter::instructions, Reading(1e6, Source::measured));
        const auto a = analyse(m, demand(1e6, {{"DRAM", 1e6}}), golden_roofline());
        CHECK(flagged(a, "denormals: 20.0 assists per thousand instructions"));
        m.counters.insert_or_assign(counter::fp_assists, Reading::unavailable("not there"));
        CHECK_FALSE(
            flagged(analyse(m, demand(1e6, {{"DRAM", 1e6}}), golden_roofline()), "denormals"));
    }
}
