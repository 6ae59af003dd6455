#include "tests/predict/machines.hpp"

namespace ridge::test {

Machine round_machine() {
    Machine m;
    m.name = "round";
    m.cores = m.threads = 2;
    const auto figure = [](double value) {
        Figure f;
        f.value = value;
        return f;
    };
    for (const int threads : {1, 2}) {
        for (const bool fma : {false, true}) {
            ComputeCeiling c;
            c.isa = Isa::avx512;
            c.fma = fma;
            c.threads = threads;
            c.flops_per_s = figure(32e9 * threads);
            c.chain_clock_hz = figure(1e9);
            m.compute.push_back(c);
        }
    }
    const auto level = [&](const char* name, double capacity, int shared, double one, double two) {
        MemoryLevel l;
        l.name = name;
        l.capacity_bytes = figure(capacity);
        l.ways = 8;
        l.shared_by = shared;
        for (const AccessKind kind : {AccessKind::read, AccessKind::write}) {
            const double share = kind == AccessKind::write && l.name == "L1" ? 0.5 : 1;
            l.bandwidths.push_back({kind, false, 1, figure(one * share)});
            l.bandwidths.push_back({kind, false, 2, figure(two * share)});
        }
        m.levels.push_back(l);
    };
    level("L1", 32768, 1, 128e9, 256e9);
    level("L2", 1 << 20, 1, 64e9, 128e9);
    level("L3", 16 << 20, 2, 32e9, 64e9);
    level("DRAM", 1e11, 2, 8e9, 8e9);
    m.overheads.parallel_region_s = {{1, figure(0)}, {2, figure(1e-6)}};
    m.overheads.empty_primitive_s = figure(1e-6);
    return m;
}

}  // namespace ridge::test
