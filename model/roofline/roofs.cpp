#include "model/roofline/roofs.hpp"

#include <algorithm>
#include <cmath>

#include "model/roofline/transitions.hpp"

namespace ridge {
namespace {

std::string roof_name(Isa isa, bool fma, DataType dtype) {
    switch (isa) {
        case Isa::scalar:
            return fma ? "scalar FMA" : "scalar";
        case Isa::sse:
            return fma ? "SSE FMA" : "SSE";
        case Isa::avx2:
            return fma ? "AVX2 FMA" : "AVX2";
        case Isa::avx512:
            return fma ? "AVX-512 FMA" : "AVX-512";
        case Isa::avx512_bf16:
            return "AVX-512 BF16";
        case Isa::avx512_vnni:
            return "AVX-512 VNNI";
        case Isa::amx:
            return dtype == DataType::bf16 ? "AMX BF16" : "AMX INT8";
        case Isa::simt:
            return "GPU lanes";
        case Isa::tensor:
            return "tensor units";
    }
    return "?";
}

std::vector<ComputeRoof> compute_roofs(const Machine& machine, DataType dtype, int threads) {
    std::vector<ComputeRoof> roofs;
    for (const auto& entry : machine.compute) {
        if (entry.dtype != dtype) continue;
        const bool known = std::any_of(roofs.begin(), roofs.end(), [&](const ComputeRoof& roof) {
            return roof.isa == entry.isa && roof.fma == entry.fma;
        });
        if (known) continue;
        const auto rate = ceiling(machine, entry.isa, entry.fma, dtype, threads);
        roofs.push_back({roof_name(entry.isa, entry.fma, dtype), entry.isa, entry.fma, *rate,
                         entry.flops_per_s.source});
    }
    std::stable_sort(roofs.begin(), roofs.end(),
                     [](const auto& a, const auto& b) { return a.rate > b.rate; });
    return roofs;
}

BandwidthRoof bandwidth_roof(const Machine& machine, const MemoryLevel& level, int threads) {
    BandwidthRoof roof;
    roof.level = level.name;
    roof.capacity = usable_capacity(machine, level, threads);
    for (const auto& entry : level.bandwidths) {
        const bool known =
            std::any_of(roof.kinds.begin(), roof.kinds.end(), [&](const KindRate& kind) {
                return kind.kind == entry.kind && kind.non_temporal == entry.non_temporal;
            });
        if (known) continue;
        const auto rate = *bandwidth(level, entry.kind, threads, entry.non_temporal);
        roof.kinds.push_back({entry.kind, entry.non_temporal, rate});
        if (rate > roof.rate) {
            roof.rate = rate;
            roof.source = entry.bytes_per_s.source;
        }
    }
    return roof;
}

/// Cost of a parallel region at a thread count: linear between the probed ones, constant beyond.
std::optional<double> parallel_region_s(const Overheads& overheads, int threads) {
    const auto& probed = overheads.parallel_region_s;
    if (probed.empty()) return std::nullopt;
    const auto upper = probed.lower_bound(threads);
    if (upper == probed.end()) return probed.rbegin()->second.value;
    if (upper->first == threads || upper == probed.begin()) return upper->second.value;
    const auto lower = std::prev(upper);
    const double weight = static_cast<double>(threads - lower->first) /
                          static_cast<double>(upper->first - lower->first);
    return lower->second.value + weight * (upper->second.value - lower->second.value);
}

std::optional<Seconds> call_overhead(const Overheads& overheads, int threads) {
    const auto region = parallel_region_s(overheads, threads);
    const auto& empty = overheads.empty_primitive_s;
    if (!region && !empty) return std::nullopt;
    return Seconds(region.value_or(0) + (empty ? empty->value : 0));
}

/// Written bytes / all bytes of a kind of access.
double written_share_of(AccessKind kind) {
    switch (kind) {
        case AccessKind::read:
            return 0;
        case AccessKind::triad:
            return 1.0 / 3;
        case AccessKind::copy:
            return 0.5;
        case AccessKind::write:
            return 1;
    }
    return 0;
}

/// Faster of the ordinary and the non-temporal figure of a kind; nothing when the file has neither.
const KindRate* fastest(const BandwidthRoof& roof, AccessKind kind) {
    const KindRate* best = nullptr;
    for (const auto& entry : roof.kinds)
        if (entry.kind == kind && (!best || entry.rate > best->rate)) best = &entry;
    return best;
}

}  // namespace

Roofline make_roofline(const Machine& machine, DataType dtype, int threads) {
    Roofline roofline;
    if (const auto cost = transition_cost(machine)) {
        roofline.sse_transition = Seconds(cost->value);
        roofline.sse_transition_source = cost->source;
    }
    roofline.threads = threads;
    roofline.dtype = dtype;
    roofline.compute = compute_roofs(machine, dtype, threads);
    for (const auto& level : machine.levels) {
        auto roof = bandwidth_roof(machine, level, threads);
        if (roof.kinds.empty()) continue;
        if (!roofline.compute.empty()) roof.ridge = roofline.compute.front().rate / roof.rate;
        roofline.bandwidth.push_back(std::move(roof));
    }
    roofline.call_overhead = call_overhead(machine.overheads, threads);
    return roofline;
}

MixCeiling ceiling_for_mix(const BandwidthRoof& roof, double written_share) {
    constexpr double same = 0.01;  // shares this close to a kind are that kind
    const KindRate *below = nullptr, *above = nullptr;
    for (const auto kind :
         {AccessKind::read, AccessKind::triad, AccessKind::copy, AccessKind::write}) {
        const KindRate* rate = fastest(roof, kind);
        if (!rate) continue;
        const double share = written_share_of(kind);
        if (std::abs(share - written_share) <= same) {
            below = above = rate;
            break;
        }
        if (share > written_share) {
            above = rate;
            break;
        }
        below = rate;
    }
    const KindRate* best = !below                      ? above
                           : !above                    ? below
                           : above->rate > below->rate ? above
                                                       : below;
    std::string name(to_string(best->kind));
    if (best->non_temporal) name += " (non-temporal)";
    return {best->rate, std::move(name)};
}

const ComputeRoof& roof_of_kernel(const Roofline& roofline, std::string_view implementation) {
    const auto has = [&](std::string_view word) {
        return implementation.find(word) != std::string_view::npos;
    };
    Isa widest = Isa::amx;
    if (has("avx2"))
        widest = Isa::avx2;
    else if (has("sse41"))
        widest = Isa::sse;
    else if (has("avx512") && !has("amx"))
        widest = Isa::avx512_vnni;
    // Roofs are sorted by rate; the first one within the kernel's instruction set is its own.
    for (const auto& roof : roofline.compute)
        if (roof.isa <= widest) return roof;
    return roofline.compute.front();
}

}  // namespace ridge
