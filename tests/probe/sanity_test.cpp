// What the probe finds suspicious about figures, and how two probes are compared.
#include "collectors/probe/sanity.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collectors/probe/agreement.hpp"
#include "collectors/probe/figure.hpp"

using namespace ridge;
using namespace ridge::probe;

namespace {

Figure measured(double value) {
    return {value, Source::measured, 0.005, "3 of 9 windows agree"};
}

ComputeCeiling ceiling(Isa isa, bool fma, DataType dtype, int threads, double value) {
    return {isa, fma, dtype, threads, measured(value), {}, {}};
}

MemoryLevel level(const char* name, double latency, double read, double write, double copy,
                  double triad) {
    MemoryLevel result;
    result.name = name;
    result.latency_s = measured(latency);
    for (const auto& [kind, rate] :
         {std::pair{AccessKind::read, read}, std::pair{AccessKind::write, write},
          std::pair{AccessKind::copy, copy}, std::pair{AccessKind::triad, triad}})
        result.bandwidths.push_back({kind, false, 1, measured(rate)});
    return result;
}

/// One core with 32 f32 FLOP per cycle at 3 GHz; nothing about it is suspicious.
Machine plausible() {
    Machine m;
    m.cores = 2;
    m.threads = 2;
    m.compute = {ceiling(Isa::avx2, false, DataType::f32, 1, 48e9),
                 ceiling(Isa::avx2, true, DataType::f32, 1, 96e9),
                 ceiling(Isa::avx2, true, DataType::f64, 1, 48e9),
                 ceiling(Isa::avx512, true, DataType::f32, 1, 96e9),
                 ceiling(Isa::avx512, true, DataType::f32, 2, 190e9)};
    m.compute[3].datasheet_flops_per_s = Figure{97e9, Source::given, -1, "3 GHz"};
    m.levels = {level("L1", 1e-9, 190e9, 96e9, 190e9, 280e9),
                level("L2", 4e-9, 96e9, 90e9, 92e9, 94e9),
                level("DRAM", 100e-9, 20e9, 15e9, 18e9, 19e9)};
    return m;
}

bool mentions(const std::vector<Suspicion>& suspicions, const std::string& text) {
    return std::any_of(suspicions.begin(), suspicions.end(), [&](const Suspicion& suspicion) {
        return (suspicion.figure + ": " + suspicion.what).find(text) != std::string::npos;
    });
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a plausible machine raises no suspicion and keeps its notes") {
        Machine m = plausible();
        CHECK(check_figures(m).empty());
        CHECK(m == plausible());
    }

    TEST_CASE("a ceiling far below or above its datasheet value") {
        Machine m = plausible();
        m.compute[3].datasheet_flops_per_s->value = 192e9;
        CHECK(mentions(check_figures(m), "avx512 FMA f32, 1 thread: only 50"));
        CHECK(m.compute[3].flops_per_s.note.find("suspicious") != std::string::npos);
        m = plausible();
        m.compute[3].datasheet_flops_per_s->value = 90e9;
        CHECK(mentions(check_figures(m), "above the datasheet's"));
    }

    TEST_CASE("wider, fused, narrower types and more threads never give less") {
        const auto suspicious_with = [](std::size_t index, double value) {
            Machine m = plausible();
            m.compute[index].flops_per_s.value = value;
            m.compute[3].datasheet_flops_per_s.reset();
            return check_figures(m);
        };
        CHECK(mentions(suspicious_with(3, 80e9), "of avx2 FMA f32"));       // wider
        CHECK(mentions(suspicious_with(1, 40e9), "of avx2 mul+add f32"));   // fused
        CHECK(mentions(suspicious_with(2, 150e9), "of avx2 FMA f64"));      // narrower type
        CHECK(mentions(suspicious_with(4, 90e9), "of avx512 FMA f32, 1"));  // more threads
        CHECK(mentions(suspicious_with(4, 220e9),
                       "avx512 FMA f32, 1 thread: less than 1/2 of avx512 FMA f32, 2"));
    }

    TEST_CASE("windows that did not agree are told") {
        Machine m = plausible();
        m.compute[0].flops_per_s.note = std::string(disagreement) + ": best of 9 windows";
        CHECK(mentions(check_figures(m), "avx2 mul+add f32, 1 thread: no 3 windows agree"));
    }

    TEST_CASE("a level faster than the one before it, and copies faster than their parts") {
        Machine m = plausible();
        m.levels[1].bandwidths[0].bytes_per_s.value = 250e9;
        CHECK(mentions(check_figures(m), "L1 read, 1 thread"));
        m = plausible();
        m.levels[2].bandwidths[2].bytes_per_s.value = 35e9;  // more than twice the write rate
        CHECK(mentions(check_figures(m), "DRAM copy, 1 thread: more than its reads and writes"));
        m = plausible();
        m.levels[2].bandwidths[3].bytes_per_s.value = 31e9;  // more than 3/2 of the read rate
        CHECK(mentions(check_figures(m), "DRAM triad, 1 thread"));
        m = plausible();
        m.levels[2].latency_s->value = 2e-9;
        CHECK(mentions(check_figures(m), "L2 latency: longer than the 2"));
        m = plausible();
        m.overheads.parallel_region_s = {{1, measured(3e-7)}, {2, measured(36e-3)}};
        CHECK(mentions(check_figures(m), "parallel region, 2 threads: 36"));
        CHECK(check_figures(m).size() == 1);
    }
}

TEST_SUITE("formula") {
    TEST_CASE("two probes: differences of all ceilings, worst first, latencies apart") {
        const Machine a = plausible();
        Machine b = plausible();
        b.compute[0].flops_per_s.value *= 1.02;
        b.levels[2].bandwidths[0].bytes_per_s.value *= 0.9;
        b.levels[2].latency_s->value *= 1.1;
        b.compute.pop_back();
        const Agreement agreement = compare_probes(a, b);
        CHECK(agreement.ceilings.size() == 4 + 12);
        CHECK(agreement.ceilings[0].name == "DRAM read, 1 thread");
        CHECK(agreement.ceilings[0].difference() == doctest::Approx(0.1 / 0.95));
        CHECK(agreement.ceilings[1].difference() == doctest::Approx(0.02 / 1.01));
        CHECK(median_difference(agreement.ceilings) == 0);
        CHECK(agreement.others[0].name == "DRAM latency");
        CHECK(agreement.only_one == std::vector<std::string>{"avx512 FMA f32, 2 threads"});
        CHECK(median_difference({}) == 0);
    }
}
