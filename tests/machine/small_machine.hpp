// A small machine whose numbers are easy to reckon with.
#pragma once

#include "ridge/machine.hpp"

namespace ridge::test {

inline Figure given(double value) {
    return {value, Source::given, -1, "an example"};
}

/// 4 cores of 1 thread; AVX-512 100 GFLOP/s at 1 thread and 340 at 4; L1 32 KiB and L2 1 MiB per
/// core, L3 8 MiB shared, DRAM 16 GiB.
inline Machine small_machine() {
    Machine m;
    m.name = "example";
    m.description = "a machine for tests";
    m.cpu_model = "Example \"CPU\" 1: fast # yes";
    m.vendor = "GenuineExample";
    m.cores = m.threads = 4;
    m.isa_flags = {"avx2", "avx512f"};
    const auto compute = [&](Isa isa, DataType dtype, int threads, double value) {
        m.compute.push_back({isa, true, dtype, threads, given(value), {}, {}});
    };
    compute(Isa::avx2, DataType::f32, 1, 50e9);
    compute(Isa::avx512, DataType::f32, 1, 100e9);
    compute(Isa::avx512, DataType::f32, 4, 340e9);
    m.compute[1].flops_per_s = {100e9, Source::measured, 0.0125, ""};
    m.compute[1].chain_clock_hz = Figure{1.5723456789e9, Source::measured, 0.001, "4 cycles"};
    m.compute[1].datasheet_flops_per_s = given(102.4e9);

    const auto level = [&](const char* name, std::optional<double> capacity, int ways,
                           int shared_by, double latency_s, double read_1, double read_4) {
        MemoryLevel l;
        l.name = name;
        if (capacity) l.capacity_bytes = given(*capacity);
        l.ways = ways;
        l.shared_by = shared_by;
        l.latency_s = given(latency_s);
        l.bandwidths = {{AccessKind::read, false, 1, given(read_1)},
                        {AccessKind::read, false, 4, given(read_4)}};
        m.levels.push_back(l);
    };
    level("L1", 32 * 1024, 8, 1, 1.5e-9, 200e9, 800e9);
    level("L2", 1024 * 1024, 16, 1, 5e-9, 80e9, 320e9);
    level("L3", 8.0 * 1024 * 1024, 16, 4, 20e-9, 40e9, 120e9);
    level("DRAM", 16.0 * 1024 * 1024 * 1024, 0, 4, 90e-9, 10e9, 24e9);
    m.levels[2].effective_capacity_bytes = given(6.0 * 1024 * 1024);
    m.levels[3].bandwidths.push_back({AccessKind::copy, false, 1, given(8e9)});
    m.levels[3].bandwidths.push_back({AccessKind::copy, true, 1, given(9e9)});
    m.overheads.parallel_region_s = {{1, given(1e-7)}, {4, given(4e-6)}};
    m.overheads.empty_primitive_s = given(1e-6);
    m.overheads.sse_transition_s = given(2e-9);
    m.quiet =
        QuietLevels{FlopsPerSecond(101e9), InstructionsPerSecond(1.2e10), 3, false, Hertz(3.2e9)};
    return m;
}

}  // namespace ridge::test
