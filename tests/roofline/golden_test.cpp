// Numbers worked out by hand, and the traps that other tools fell into.

#include <doctest/doctest.h>

#include <cmath>

#include "model/roofline/roofs.hpp"
#include "synthetic.hpp"

using namespace ridge;
using namespace ridge::test;

TEST_SUITE("formula") {
    TEST_CASE("peak 1000 GFLOP/s and 100 GB/s: ridge 10, roof 50, 1000, 1000") {
        const auto r = golden_roofline();
        CHECK(r.bandwidth[0].ridge->value() == doctest::Approx(10));
        const auto roof_at = [&](double intensity) {
            return analyse(row(1), demand(intensity * 1e9, {{"DRAM", 1e9}}), r).roof->value() / 1e9;
        };
        CHECK(roof_at(0.5) == doctest::Approx(50));
        CHECK(roof_at(10) == doctest::Approx(1000));
        CHECK(roof_at(20) == doctest::Approx(1000));
    }

    TEST_CASE("1e9 FLOP and 2e9 bytes need 20 ms, bound by memory") {
        const auto a = analyse(row(25e-3), demand(1e9, {{"DRAM", 2e9}}), golden_roofline());
        CHECK(least_time(a.terms).value() == doctest::Approx(20e-3));
        CHECK(a.bound == Bound::memory);
        CHECK(a.bound_level == "DRAM");
        CHECK(a.attained == doctest::Approx(0.8));
        CHECK(a.saved_at_roof.value() == doctest::Approx(5e-3));
        CHECK(a.runner_up == "compute");
    }

    TEST_CASE("L3 300 GB/s with 1e9 B and DRAM 100 GB/s with 1e8 B: L3 needs longest") {
        const auto r = roofline(1000, {bandwidth_roof("L3", 300e9), bandwidth_roof("DRAM", 100e9)});
        const auto a = analyse(row(4e-3), demand(1e9, {{"L3", 1e9}, {"DRAM", 1e8}}), r);
        REQUIRE(a.terms.size() == 3);
        CHECK(a.terms[0].resource == "L3");
        CHECK(a.terms[0].time.value() == doctest::Approx(10e-3 / 3));
        CHECK(a.terms[1].time.value() == doctest::Approx(1e-3));
        CHECK(a.terms[2].time.value() == doctest::Approx(1e-3));
        CHECK(a.bound == Bound::memory);
        CHECK(a.bound_level == "L3");
    }

    TEST_CASE("inner product 4096 x 4096 of one image in 2.50317 ms: 26.8 GB/s, 0.5 FLOP/B") {
        const double weights = 4096.0 * 4096 * 4, vectors = 2 * 4096.0 * 4;
        const auto r = roofline(1000, {bandwidth_roof("DRAM", 30e9)});
        const auto a = analyse(row(2.50317e-3, LayerKind::inner_product),
                               demand(2 * 4096.0 * 4096, {{"DRAM", weights + vectors}}), r);
        CHECK(weights / 2.50317e-3 / 1e9 == doctest::Approx(26.8).epsilon(0.001));
        CHECK(a.intensity->value() == doctest::Approx(0.5).epsilon(0.001));
        CHECK(a.bound == Bound::memory);
    }

    // F4
    TEST_CASE("every row has its roof and the share of it: 40 of 50 GFLOP/s are 80 %") {
        const auto a = analyse(row(1e9 / 40e9), demand(1e9, {{"DRAM", 2e9}}), golden_roofline());
        CHECK(a.rate->value() == doctest::Approx(40e9));
        CHECK(a.roof->value() == doctest::Approx(50e9));
        CHECK(a.attained == doctest::Approx(0.8));
        CHECK(says(a, "80.0 %"));
    }

    // F7
    TEST_CASE("within 10 % of the ridge is balanced") {
        const auto bound_at = [](double intensity) {
            return analyse(row(20e-3), demand(intensity * 1e9, {{"DRAM", 1e9}}), golden_roofline())
                .bound;
        };
        CHECK(bound_at(9.5) == Bound::balanced);
        CHECK(bound_at(10) == Bound::balanced);
        CHECK(bound_at(8) == Bound::memory);
        CHECK(bound_at(12) == Bound::compute);
    }

    // A17
    TEST_CASE("Winograd at 1.8 x peak is equivalent FLOP/s, not an error") {
        const auto a = analyse(row(1e-3, LayerKind::convolution, "jit_wino:avx512_core"),
                               demand(1.8e9, {{"DRAM", 1e6}}), golden_roofline());
        CHECK(a.attained == doctest::Approx(1.8));
        CHECK(flagged(a, "above roof: 1.80 x"));
        CHECK(flagged(a, "Winograd"));
        CHECK(a.bound == Bound::compute);
        CHECK(contradictions(a).empty());
    }

    // A4
    TEST_CASE("6 channels padded to 16: at its roof as executed, at 37.5 % in useful FLOPs") {
        auto d = demand(0.375e9, {{"DRAM", 1e6}});
        d.padding = 16.0 / 6;
        d.padding_cause = "oc 6 padded to 16";
        const auto a = analyse(row(1e-3), d, golden_roofline());
        CHECK(a.attained == doctest::Approx(0.375));
        CHECK(a.terms[0].share == doctest::Approx(1.0));
        CHECK(a.bound == Bound::compute);
        CHECK(flagged(a, "padding: oc 6 padded to 16"));
        CHECK(a.saved_at_roof.value() == doctest::Approx(0.625e-3));
        CHECK(contradictions(a).empty());
    }

    TEST_CASE("padding that the time refutes is not counted as work") {
        auto d = demand(0.8e9, {{"DRAM", 1e6}});
        d.padding = 2;
        d.padding_cause = "oc 8 padded to 16";
        const auto a = analyse(row(1e-3), d, golden_roofline());
        CHECK(a.terms[0].share == doctest::Approx(0.8));
        CHECK(flagged(a, "the kernel skips part of it"));
        CHECK_FALSE(flagged(a, "above roof"));
        CHECK(contradictions(a).empty());
    }

    TEST_CASE("a resource that is busy for less than a third of the time is not the bound") {
        const auto bound_at = [](double share) {
            return analyse(row(1e-3), demand(share * 1e9, {{"DRAM", share * 5e7}}),
                           golden_roofline())
                .bound;
        };
        CHECK(bound_at(0.34) == Bound::compute);
        CHECK(bound_at(0.32) == Bound::undetermined);
    }

    TEST_CASE("an AVX2 kernel on an AVX-512 machine is held against both roofs") {
        auto r = golden_roofline();
        r.compute.push_back({"AVX2 FMA", Isa::avx2, true, FlopsPerSecond(500e9), Source::measured});
        const auto a = analyse(row(1e-3, LayerKind::convolution, "jit:avx2"),
                               demand(0.48e9, {{"DRAM", 1e6}}), r);
        CHECK(a.terms[0].ceiling == "AVX2 FMA");
        CHECK(a.terms[0].share == doctest::Approx(0.96));
        CHECK(a.attained == doctest::Approx(0.48));
        CHECK(a.bound == Bound::compute);
        CHECK(flagged(a, "narrow kernel"));
        CHECK(roof_of_kernel(r, "brgemm:avx512_core").name == "AVX-512 FMA");
        CHECK(roof_of_kernel(r, "gemm:jit").name == "AVX-512 FMA");
    }

    TEST_CASE("a tiny call is overhead") {
        auto r = golden_roofline();
        r.call_overhead = Seconds(5e-6);
        const auto a = analyse(row(7e-6), demand(1e6, {{"DRAM", 1e4}}), r);
        CHECK(a.bound == Bound::overhead);
        CHECK(a.attained == doctest::Approx(5.0 / 7));
        CHECK(says(a, "71.4 %"));
    }
}

TEST_SUITE("behaviour") {
    // F3
    TEST_CASE("without bytes the intensity is not defined, never infinite") {
        const auto a = analyse(row(2e-3), demand(1e9, {}), golden_roofline());
        CHECK_FALSE(a.intensity);
        CHECK(a.roof->value() == doctest::Approx(1000e9));
        CHECK(std::isfinite(a.traffic_rate.value()));
        CHECK(contradictions(a).empty());
    }

    // F5
    TEST_CASE("a copy has GB/s and a share of the bandwidth, no place under a compute roof") {
        const auto a = analyse(row(1e-3, LayerKind::reorder, "jit:uni"), demand(0, {{"DRAM", 8e7}}),
                               golden_roofline());
        CHECK(a.traffic_rate.value() == doctest::Approx(80e9));
        CHECK(a.attained == doctest::Approx(0.8));
        CHECK_FALSE(a.rate);
        CHECK_FALSE(a.roof);
        CHECK_FALSE(a.intensity);
        CHECK(a.bound == Bound::memory);
        CHECK(says(a, "80.0 GB/s"));
    }

    // B3
    TEST_CASE("12 MB at 320 GB/s with a 24 MB L3: the level is L3 and nothing is impossible") {
        const auto r = roofline(
            1000, {bandwidth_roof("L3", 400e9, 24e6), bandwidth_roof("DRAM", 108e9, 64e9)});
        Demand d = demand(0, {});
        d.traffic = place({{Bytes(12e6), Bytes(0), Bytes(12e6)}}, r);
        d.footprint = Bytes(12e6);
        const auto a = analyse(row(12e6 / 320e9, LayerKind::sum), d, r);
        CHECK(a.level == "L3");
        CHECK(a.bound_level == "L3");
        CHECK(a.attained == doctest::Approx(0.8));
        CHECK_FALSE(flagged(a, "above roof"));
    }
    TEST_CASE("400 MB at 320 GB/s: time, bytes or ceiling is wrong") {
        const auto r = roofline(
            1000, {bandwidth_roof("L3", 400e9, 24e6), bandwidth_roof("DRAM", 108e9, 64e9)});
        Demand d = demand(0, {});
        d.traffic = place({{Bytes(400e6), Bytes(0), Bytes(400e6)}}, r);
        d.footprint = Bytes(400e6);
        const auto a = analyse(row(400e6 / 320e9, LayerKind::sum), d, r);
        CHECK(a.level == "DRAM");
        CHECK(flagged(a, "above roof: 2.96 x DRAM"));
        CHECK(flagged(a, "time, bytes or ceiling is wrong"));
        CHECK(contradictions(a).empty());
    }
    TEST_CASE("a little above DRAM with most of the data in L3 is residency") {
        const auto r = roofline(
            1000, {bandwidth_roof("L3", 400e9, 24e6), bandwidth_roof("DRAM", 108e9, 64e9)});
        Demand d = demand(0, {});
        d.traffic = place({{Bytes(30e6), Bytes(0), Bytes(30e6)}}, r);
        d.footprint = Bytes(30e6);
        const auto a = analyse(row(30e6 / 150e9, LayerKind::sum), d, r);
        CHECK(flagged(a, "cache residency"));
        CHECK(flagged(a, "28.0 % of the bytes came from L3"));  // 1 - 108 / 150
    }

    // C12
    TEST_CASE("1 % above the roof is within repeatability, 10 % is not") {
        const auto at = [](double factor) {
            return analyse(row(1e-3), demand(factor * 1e9, {{"DRAM", 1e6}}), golden_roofline());
        };
        CHECK(flagged(at(1.01), "above roof: 1.010 x the highest compute roof, within"));
        CHECK(flagged(at(1.10), "not explained"));
        CHECK_FALSE(flagged(at(0.99), "above roof"));
    }

    // F1
    TEST_CASE("without a compute roof the bandwidth roofs stay and the row says what is missing") {
        const auto r = roofline(0, {bandwidth_roof("DRAM", 100e9)});
        CHECK_FALSE(r.bandwidth[0].ridge);
        const auto a = analyse(row(1e-3), demand(1e9, {{"DRAM", 9e7}}), r);
        CHECK(a.bound == Bound::memory);
        CHECK_FALSE(a.peak);
        CHECK(a.roof.has_value());
        CHECK(flagged(a, "no compute roof"));
        CHECK(contradictions(a).empty());
    }

    // F2
    TEST_CASE("a row without a time has no verdict and no number that is not one") {
        const auto a = analyse(row(0), demand(1e9, {{"DRAM", 1e9}}), golden_roofline());
        CHECK(a.bound == Bound::undetermined);
        CHECK(a.attained == 0);
        CHECK(a.share_of_step == 0);
        CHECK(flagged(a, "no time"));
        CHECK(contradictions(a).empty());
    }

    // F8
    TEST_CASE("a verdict that another column refutes is found") {
        auto a = analyse(row(1.1e-3), demand(1e9, {{"DRAM", 1e6}}), golden_roofline());
        REQUIRE(a.bound == Bound::compute);
        REQUIRE(contradictions(a).empty());
        auto idle = a;
        idle.bound = Bound::undetermined;
        idle.verdict = "below every roof: compute idle; 0.1 ms would be saved at the roof";
        CHECK_FALSE(contradictions(idle).empty());
        auto memory = a;
        memory.bound = Bound::memory;
        memory.bound_level = "DRAM";
        CHECK_FALSE(contradictions(memory).empty());
        auto quiet = a;
        quiet.flags.push_back("upper bound: never quiet");
        CHECK_FALSE(contradictions(quiet).empty());
        auto mute = a;
        mute.verdict = "compute";
        CHECK_FALSE(contradictions(mute).empty());
        auto above = a;
        above.row.time.time = Seconds(0.5e-3);
        CHECK_FALSE(contradictions(above).empty());
    }
    TEST_CASE("a verdict quotes a measured number, the runner-up and the saving") {
        const auto a = analyse(row(25e-3), demand(1e9, {{"DRAM", 2e9}}), golden_roofline());
        CHECK(says(a, "memory DRAM: 80.0 % of DRAM read bandwidth (80.0 GB/s of 100 GB/s)"));
        CHECK(says(a, "next compute at 4.0 %"));
        CHECK(says(a, "5.00 ms (20.0 %) would be saved at the roof"));
        CHECK(says(a, "left of the ridge"));
    }

    // A12
    TEST_CASE("operations that no counter sees are not observable, and nobody calls compute idle") {
        auto m = row(1.2e-3, LayerKind::convolution, "brgconv:avx512_core_amx_bf16");
        m.dtype = DataType::bf16;
        m.counters.emplace("PAPI_SP_OPS", Reading(12, Source::measured));
        const auto a = analyse(m, demand(1e9, {{"DRAM", 1e6}}), golden_roofline());
        CHECK_FALSE(a.executed_flops.available());
        CHECK(a.executed_flops.reason().find("not observable") != std::string::npos);
        CHECK(a.bytes_source == Source::algorithmic);
        CHECK(a.bound == Bound::compute);
        CHECK_FALSE(says(a, "idle"));
        m.counters.insert_or_assign("PAPI_SP_OPS", Reading(1.1e9, Source::traced));
        CHECK(analyse(m, demand(1e9, {}), golden_roofline()).executed_flops.value() == 1.1e9);
    }

    // D5
    TEST_CASE("far below every roof names only reasons that the row supports") {
        const auto slow = demand(1e7, {{"DRAM", 1e6}});
        const auto bare = analyse(row(1e-3), slow, golden_roofline());
        CHECK(bare.bound == Bound::undetermined);
        CHECK(says(bare, "below every roof"));
        CHECK(says(bare, "nothing in this row says why"));
        const auto reference =
            analyse(row(1e-3, LayerKind::pooling, "ref:any"), slow, golden_roofline());
        CHECK(says(reference, "likely: reference kernel (ref:any)"));
        CHECK(flagged(reference, "reference kernel: ref:any"));
        auto disturbed = row(1e-3);
        disturbed.time.upper_bound = true;
        disturbed.time.settled = false;
        CHECK(says(analyse(disturbed, slow, golden_roofline()), "never quiet"));
        auto parallel = slow;
        parallel.parallel_pieces = 1;
        auto two = golden_roofline();
        two.threads = 2;
        CHECK(says(analyse(row(1e-3), parallel, two), "1 independent pieces keep 50.0 %"));
        CHECK_FALSE(says(analyse(row(1e-3), parallel, golden_roofline()), "independent"));
    }
    TEST_CASE("a name is a reference kernel by its parts, not by its letters") {
        CHECK(is_reference_kernel(row(1, LayerKind::pooling, "ref:any")));
        CHECK(is_reference_kernel(row(1, LayerKind::convolution, "gemm:ref")));
        CHECK(is_reference_kernel(row(1, LayerKind::concat, "simple:any")));
        CHECK_FALSE(is_reference_kernel(row(1, LayerKind::reorder, "simple:any")));
        CHECK_FALSE(is_reference_kernel(row(1, LayerKind::pooling, "jit:preferred")));
    }

    TEST_CASE("a copy that goes through the caches is told what non-temporal stores would give") {
        auto r = golden_roofline();
        r.bandwidth[0].kinds.push_back({AccessKind::copy, false, BytesPerSecond(50e9)});
        r.bandwidth[0].kinds.push_back({AccessKind::copy, true, BytesPerSecond(90e9)});
        Demand d = demand(0, {});
        d.traffic = {{"DRAM", Bytes(4e7), Bytes(4e7)}};
        d.footprint = Bytes(8e7);
        const auto a = analyse(row(8e7 / 48e9, LayerKind::eltwise), d, r);
        CHECK(a.bandwidth_kind == "copy (non-temporal)");
        CHECK(a.attained == doctest::Approx(48.0 / 90));
        CHECK(says(a, "96.0 % of the 50.0 GB/s copy without non-temporal stores"));
    }
}
