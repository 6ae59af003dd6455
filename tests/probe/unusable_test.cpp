// A machine that was busy all the time gives a file that can be read all the same.
#include "collectors/probe/unusable.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace ridge;
using namespace ridge::probe;

namespace {

Figure figure(double value, double spread) {
    return {value, Source::measured, spread, "windows"};
}

ProbeResult busy_probe() {
    ProbeResult result;
    Machine& m = result.machine;
    m.name = "busy";
    m.cores = m.threads = 2;
    m.compute = {{Isa::sse, true, DataType::f32, 1, figure(50e9, 0.005), {}, {}},
                 {Isa::sse, true, DataType::f32, 2, figure(60e9, 3.7), {}, {}},
                 {Isa::sse, true, DataType::f64, 1, figure(29e9, 0.01), {}, figure(20e9, -1)}};
    MemoryLevel dram;
    dram.name = "DRAM";
    dram.shared_by = 2;
    dram.latency_s = figure(3e-7, 12);
    dram.bandwidths = {{AccessKind::read, false, 1, figure(20e9, 0.01)},
                       {AccessKind::copy, false, 2, figure(2e9, 11)}};
    m.levels = {dram};
    m.overheads.parallel_region_s = {{1, figure(3e-7, 0.01)}, {2, figure(0.2, 0.01)}};
    m.overheads.empty_primitive_s = figure(2e-7, 0.9);
    m.overheads.sse_transition_s = figure(1e-9, 0.9);
    m.quiet = QuietLevels{};
    return result;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("what no file may hold is told instead") {
        ProbeResult result = busy_probe();
        drop_unusable(result);
        const Machine& m = result.machine;
        REQUIRE(m.compute.size() == 2);
        CHECK(m.compute[0].flops_per_s.value == 50e9);
        CHECK_FALSE(m.compute[1].datasheet_flops_per_s);
        CHECK(m.levels[0].bandwidths.size() == 1);
        CHECK_FALSE(m.levels[0].latency_s);
        CHECK(m.overheads.parallel_region_s.size() == 1);
        CHECK_FALSE(m.overheads.empty_primitive_s);
        CHECK_FALSE(m.overheads.sse_transition_s);
        CHECK_FALSE(m.quiet);
        const auto& told = result.not_measured;
        CHECK(told.size() == 8);
        const auto says = [&](const std::string& text) {
            return std::any_of(told.begin(), told.end(), [&](const std::string& line) {
                return line.find(text) != std::string::npos;
            });
        };
        CHECK(says("sse FMA f32, 2 threads: the best windows differ by 370"));
        CHECK(says("datasheet value of sse FMA f64, 1 thread"));
        CHECK(says("DRAM copy, 2 threads"));
        CHECK(says("DRAM latency"));
        CHECK(says("parallel region, 2 threads: its threads never ran together"));
        CHECK(says("empty primitive"));
        CHECK(says("SSE/AVX transition"));
        CHECK(says("quiet levels"));
    }

    TEST_CASE("the rest is left alone") {
        ProbeResult result = busy_probe();
        drop_unusable(result);
        const Machine once = result.machine;
        drop_unusable(result);
        CHECK(result.machine == once);
        CHECK(result.not_measured.size() == 8);
    }
}
