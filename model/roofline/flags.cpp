// What a reader must know beside a row's verdict: points above their roof with the reason, and
// facts about the measurement and the kernel.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/roofline/roofs.hpp"
#include "model/roofline/row_analysis.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace {

/// Ceiling and time each repeat to about this on a machine that is not quiet.
constexpr double repeatability = 0.05;

/// A word of the name between punctuation: "ref" is in "ref:any" and "gemm:ref", not in
/// "preferred".
bool has_part(std::string_view name, std::string_view part) {
    constexpr std::string_view separators = ":_,+ /";
    std::size_t begin = 0;
    while (begin <= name.size()) {
        const auto end = std::min(name.find_first_of(separators, begin), name.size());
        if (name.substr(begin, end - begin) == part) return true;
        begin = end + 1;
    }
    return false;
}

double ratio_of(const Term& term, const RowAnalysis& a) {
    return std::max(term.time, term.busy) / a.row.time.time;
}

std::string above_compute(const Term& term, const RowAnalysis& a) {
    const Seconds time = a.row.time.time;
    if (is_winograd(a.row))
        return fmt::format(
            "{:.2f} x the {} roof in equivalent FLOP/s: Winograd multiplies less "
            "than the direct convolution that is counted",
            term.time / time, term.ceiling);
    if (term.time / time > 1 + repeatability)
        return fmt::format(
            "{:.2f} x the highest compute roof, not explained: time, FLOPs or "
            "ceiling is wrong (a unit the machine file lacks, a ceiling probed on a "
            "disturbed machine, time taken before the work was done)",
            term.time / time);
    if (term.time / time > 1)
        return fmt::format(
            "{:.3f} x the highest compute roof, within the {} that ceilings and "
            "times repeat to",
            term.time / time, format_percent(repeatability));
    return fmt::format(
        "{:.2f} x the {} roof as its name and formats say it executes: the kernel "
        "skips part of the padding or uses wider instructions than its name says",
        term.busy / time, term.ceiling);
}

/// The nearest outer-to-inner level whose ceiling admits the measured rate, if enough of the
/// footprint fits into it.
std::string residency(const Term& term, const RowAnalysis& a, const Roofline& roofline) {
    const Seconds time = a.row.time.time;
    // With a share h from an inner level, the outer one needs (1 - h) of its term: h is at least
    const double needed = 1 - time / term.time;
    const auto outer = std::find_if(roofline.bandwidth.begin(), roofline.bandwidth.end(),
                                    [&](const auto& r) { return r.level == term.resource; });
    for (auto inner = std::make_reverse_iterator(outer); inner != roofline.bandwidth.rend();
         ++inner) {
        if (*term.bytes / inner->rate > time || !inner->capacity) continue;
        if (!(a.footprint.value() > 0)) continue;
        const double possible = std::min(1.0, *inner->capacity / a.footprint);
        if (possible >= needed)
            return fmt::format("{} of the bytes came from {}, which can hold {} of the footprint",
                               format_percent(needed), inner->level, format_percent(possible));
    }
    return {};
}

std::string above_memory(const Term& term, const RowAnalysis& a, const Roofline& roofline) {
    const double ratio = term.time / a.row.time.time;
    const std::string roof = fmt::format("{:.3g} x {} {} ({})", ratio, term.resource, term.ceiling,
                                         format(*term.bandwidth));
    if (ratio <= 1 + repeatability)
        return fmt::format("{}, within the {} that ceilings and times repeat to", roof,
                           format_percent(repeatability));
    if (const auto held = residency(term, a, roofline); !held.empty())
        return fmt::format("{}: cache residency, {}", roof, held);
    return fmt::format("{}, not explained by a cache: time, bytes or ceiling is wrong", roof);
}

std::string above_roof(const Term& term, const RowAnalysis& a, const Roofline& roofline) {
    if (is_memory(term)) return above_memory(term, a, roofline);
    if (term.resource == "compute") return above_compute(term, a);
    return fmt::format(
        "the machine's call overhead of {} is {:.2f} x the measured time: this call "
        "is cheaper than the probe's empty primitive",
        format(term.time), ratio_of(term, a));
}

bool narrower_kernel(const RowAnalysis& a, const Demand& demand, const Roofline& roofline) {
    if (roofline.compute.empty() || !(demand.useful.value() > 0)) return false;
    return roof_of_kernel(roofline, a.row.implementation).rate.value() <
           0.95 * roofline.compute.front().rate.value();
}

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

bool is_reference_kernel(const Measurement& row) {
    if (row.kind == LayerKind::reorder) return has_part(row.implementation, "ref");
    return has_part(row.implementation, "ref") || has_part(row.implementation, "simple");
}

bool is_winograd(const Measurement& row) {
    return row.implementation.find("wino") != std::string::npos;
}

bool flops_not_countable(const Measurement& row) {
    return row.implementation.find("amx") != std::string::npos || row.dtype == DataType::bf16 ||
           row.dtype == DataType::f16 || row.dtype == DataType::s8 || row.dtype == DataType::u8;
}

void add_flags(RowAnalysis& a, const Demand& demand, const Roofline& roofline) {
    for (const auto& term : a.terms)
        if (ratio_of(term, a) > 1)
            a.flags.push_back("above roof: " + above_roof(term, a, roofline));
    if (a.row.time.upper_bound)
        a.flags.push_back(
            "upper bound: the machine was never quiet, so the time includes its disturbance");
    if (is_reference_kernel(a.row))
        a.flags.push_back(fmt::format("reference kernel: {}", a.row.implementation));
    if (is_winograd(a.row))
        a.flags.push_back(
            "equivalent FLOP/s: counted as direct convolution, Winograd executes "
            "fewer");
    if (demand.padding > 1.001)
        a.flags.push_back(fmt::format("padding: {}, it executes {:.3f} x the useful FLOPs",
                                      demand.padding_cause, demand.padding));
    if (narrower_kernel(a, demand, roofline))
        a.flags.push_back(fmt::format("narrow kernel: {} reaches at most the {} roof",
                                      a.row.implementation,
                                      roof_of_kernel(roofline, a.row.implementation).name));
    if (demand.useful.value() > 0 && roofline.compute.empty())
        a.flags.push_back(fmt::format("no compute roof: the machine file has no ceiling for {}",
                                      to_string(roofline.dtype)));
}

std::vector<std::string> likely_reasons(const RowAnalysis& a, const Demand& demand,
                                        const Roofline& roofline, const RowContext& context) {
    std::vector<std::string> reasons;
    const auto add = [&](std::string reason) {
        if (!reason.empty()) reasons.push_back(std::move(reason));
    };
    if (is_reference_kernel(a.row)) add(fmt::format("reference kernel ({})", a.row.implementation));
    if (narrower_kernel(a, demand, roofline))
        add(fmt::format("narrow kernel ({})", a.row.implementation));
    if (demand.padding > 1.05)
        add(fmt::format("padded channels ({:.2f} x the useful FLOPs)", demand.padding));
    if (a.row.time.upper_bound) add("disturbed machine (never quiet)");
    add(idle_threads(demand, roofline));
    add(ordinary_stores(a, roofline));
    if (legacy_sse_pooling(a, context))
        add("oneDNN 2.x's AVX-512 pooling kernels move scalars with legacy SSE instructions, some "
            "430 cycles each on Intel's cores");
    // Up to about a hundred dependent misses to DRAM fit into this time.
    if (context.state == CacheState::cold && a.row.time.time.value() < 10e-6)
        add("cold caches: the latency of the first touches is not small beside so short a time");
    return reasons;
}

}  // namespace ridge
