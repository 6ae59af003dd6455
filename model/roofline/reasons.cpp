// Why a row may be far from its roof, as far as its own data tell.

#include <fmt/format.h>

#include <cmath>

#include "model/roofline/row_analysis.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace {

std::string idle_threads(const Demand& demand, const Roofline& roofline) {
    const double pieces = demand.parallel_pieces, threads = roofline.threads;
    if (threads < 2 || pieces < 1) return {};
    const double busy = pieces / (std::ceil(pieces / threads) * threads);
    if (busy >= 0.8) return {};
    return fmt::format(
        "low parallelism: {:g} independent pieces keep {} of {:g} threads' time busy", pieces,
        format_percent(busy), threads);
}

/// A memory-bound row whose stores go through the caches cannot reach the non-temporal ceiling.
std::string ordinary_stores(const RowAnalysis& a, const Roofline& roofline) {
    if (a.bandwidth_kind.find("non-temporal") == std::string::npos) return {};
    for (const auto& roof : roofline.bandwidth) {
        if (roof.level != a.level) continue;
        for (const auto& kind : roof.kinds) {
            if (kind.non_temporal || !a.bandwidth_kind.starts_with(to_string(kind.kind))) continue;
            const double share = a.traffic_rate / kind.rate;
            if (share > 0.8 && share < 1.2)
                return fmt::format(
                    "ordinary stores: it runs at {} of the {} {} without "
                    "non-temporal stores",
                    format_percent(share), format(kind.rate), to_string(kind.kind));
        }
    }
    return {};
}

bool legacy_sse_pooling(const RowAnalysis& a, const RowContext& context) {
    return a.row.kind == LayerKind::pooling &&
           context.cpu_model.find("Intel") != std::string::npos &&
           context.library_version.starts_with("2.") &&
           a.row.implementation.find("avx512") != std::string::npos;
}

}  // namespace

std::vector<std::string> likely_reasons(const RowAnalysis& a, const Demand& demand,
                                        const Roofline& roofline, const RowContext& context) {
    std::vector<std::string> reasons;
    const auto add = [&](std::string reason) {
        if (!reason.empty()) reasons.push_back(std::move(reason));
    };
    if (is_reference_kernel(a.row)) add(fmt::format("reference kernel ({})", a.row.implementation));
    if (demand.useful.value() > 0 && !roofline.compute.empty()) {
        const auto executed = executed_work(a.row, demand, roofline);
        if (is_narrow(*executed.roof, roofline))
            add(fmt::format("narrow kernel ({})", a.row.implementation));
        // Beside a count, only where the operations matter.
        if (executed.padding > 1.05 && (!demand.executed || a.bound != Bound::memory))
            add(fmt::format("{} ({:.2f} x the useful FLOPs)",
                            demand.executed ? "more work than is useful" : "padded channels",
                            executed.padding));
    }
    if (a.row.time.upper_bound) add("disturbed machine (never quiet)");
    add(idle_threads(demand, roofline));
    add(ordinary_stores(a, roofline));
    if (!demand.transitions && legacy_sse_pooling(a, context))
        add("oneDNN 2.x's AVX-512 pooling kernels move scalars with legacy SSE instructions, some "
            "430 cycles each on Intel's cores");
    // Up to about a hundred dependent misses to DRAM fit into this time.
    if (context.state == CacheState::cold && a.row.time.time.value() < 10e-6)
        add("cold caches: the latency of the first touches is not small beside so short a time");
    return reasons;
}

}  // namespace ridge
