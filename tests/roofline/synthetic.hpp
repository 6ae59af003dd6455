// Rooflines, demands and rows with numbers that are easy to reckon with.
#pragma once

#include <string>
#include <vector>

#include "model/roofline/row_analysis.hpp"

namespace ridge::test {

inline BandwidthRoof bandwidth_roof(std::string level, double bytes_per_s,
                                    std::optional<double> capacity_bytes = {}) {
    BandwidthRoof roof;
    roof.level = std::move(level);
    roof.rate = BytesPerSecond(bytes_per_s);
    roof.kinds = {{AccessKind::read, false, roof.rate}};
    if (capacity_bytes) roof.capacity = Bytes(*capacity_bytes);
    return roof;
}

/// One AVX-512 roof (GFLOP/s) and the bandwidth roofs.
inline Roofline roofline(double gflops, std::vector<BandwidthRoof> levels) {
    Roofline r;
    if (gflops > 0)
        r.compute = {
            {"AVX-512 FMA", Isa::avx512, true, FlopsPerSecond(gflops * 1e9), Source::measured}};
    r.bandwidth = std::move(levels);
    for (auto& roof : r.bandwidth)
        if (!r.compute.empty()) roof.ridge = r.compute.front().rate / roof.rate;
    return r;
}

/// Peak 1000 GFLOP/s and 100 GB/s: ridge at 10 FLOP/B.
inline Roofline golden_roofline() {
    return roofline(1000, {bandwidth_roof("DRAM", 100e9)});
}

/// All bytes read from each of the levels.
inline Demand demand(double flops, std::vector<std::pair<std::string, double>> bytes) {
    Demand d;
    d.useful = Flops(flops);
    for (const auto& [level, count] : bytes) {
        d.traffic.push_back({level, Bytes(count), Bytes(0)});
        d.minimum = d.footprint = std::max(d.minimum, Bytes(count));
    }
    return d;
}

inline Measurement row(double time_s, LayerKind kind = LayerKind::convolution,
                       std::string implementation = "jit:avx512_core") {
    Measurement m;
    m.key.layer = "layer";
    m.kind = kind;
    m.implementation = std::move(implementation);
    m.time.time = m.time.raw_min = m.time.median = Seconds(time_s);
    m.time.samples = m.time.quiet_samples = 6;
    m.time.settled = true;
    return m;
}

inline RowAnalysis analyse(const Measurement& m, const Demand& d, const Roofline& r) {
    return analyse_row(m, d, r, {"2.6.3", "Example CPU", CacheState::warm});
}

inline bool flagged(const RowAnalysis& a, const std::string& text) {
    for (const auto& flag : a.flags)
        if (flag.find(text) != std::string::npos) return true;
    return false;
}
inline bool says(const RowAnalysis& a, const std::string& text) {
    return a.verdict.find(text) != std::string::npos;
}

}  // namespace ridge::test
