// What a reader must know beside a row's verdict: points above their roof with the reason, and
// facts about the measurement and the kernel.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/roofline/roofs.hpp"
#include "model/roofline/row_analysis.hpp"
#include "model/roofline/traffic_cause.hpp"
#include "model/roofline/transitions.hpp"
#include "ridge/counter_names.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace {

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
        "{:.3f} x the {} roof as its name and formats say it executes, within the {} that ceilings "
        "and times repeat to",
        term.busy / time, term.ceiling, format_percent(repeatability));
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
    if (term.resource == transitions_resource)
        return fmt::format(
            "{} transitions at the machine's cost of one would take {:.2f} x the measured time: "
            "here each is cheaper",
            term.ceiling, ratio_of(term, a));
    return fmt::format(
        "the machine's call overhead of {} is {:.2f} x the measured time: this call "
        "is cheaper than the probe's empty primitive",
        format(term.time), ratio_of(term, a));
}

/// Executed beyond the useful FLOPs; partial sums are below it.
constexpr double worth_a_flag = 1.05;

void add_kernel_flags(RowAnalysis& a, const Demand& demand, const Roofline& roofline) {
    const auto executed = executed_work(a.row, demand, roofline);
    if (demand.executed) {
        const bool matters = std::any_of(a.terms.begin(), a.terms.end(), [](const Term& term) {
            return term.resource == "compute" && term.share >= explained_share;
        });
        if (matters && demand.padding > worth_a_flag)
            a.flags.push_back(
                fmt::format("more work: it executes {:.3f} x the useful FLOPs ({}){}{}",
                            demand.padding, to_string(demand.executed->source()),
                            demand.padding_cause.empty() ? "" : ": ", demand.padding_cause));
    } else if (demand.padding > 1.001)
        a.flags.push_back(
            executed.padding > 1
                ? fmt::format("padding: {}, it executes {:.3f} x the useful FLOPs",
                              demand.padding_cause, demand.padding)
                : fmt::format("padding: {}, but the kernel skips part of it: its time is too "
                              "short for {:.3f} x the useful FLOPs",
                              demand.padding_cause, demand.padding));
    const auto& named = roof_of_kernel(roofline, a.row.implementation);
    if (is_narrow(*executed.roof, roofline))
        a.flags.push_back(fmt::format("narrow kernel: {} reaches at most the {} roof",
                                      a.row.implementation, named.name));
    else if (is_narrow(named, roofline))
        a.flags.push_back(
            fmt::format("narrow kernel: {} by its name, but it is faster than the {} roof",
                        a.row.implementation, named.name));
}

/// More than one assist of the microcode in a thousand instructions.
void add_denormals_flag(RowAnalysis& a) {
    const auto count = [&](const char* name) {
        const auto found = a.row.counters.find(name);
        return found == a.row.counters.end() ? 0.0 : found->second.value_or(0);
    };
    const double assists = count(counter::fp_assists);
    const double instructions = count(counter::instructions);
    if (denormals_found(assists, instructions))
        a.flags.push_back(fmt::format(
            "denormals: {:.1f} assists per thousand instructions, operands are denormal numbers",
            assists * 1000 / instructions));
}

/// Where memory bounds the row: what crossed to it beyond the tensors.
void add_traffic_flag(RowAnalysis& a, const Demand& demand, const Roofline& roofline) {
    if (a.bound != Bound::memory || roofline.bandwidth.empty() ||
        a.bound_level != roofline.bandwidth.back().level || a.bytes_source == Source::algorithmic)
        return;
    const Bytes tensors = demand.inputs + demand.outputs;
    if (!(tensors.value() > 0) || a.bytes <= tensors * traffic_excess) return;
    const std::string cause = traffic_cause(a.bytes, demand.inputs, demand.outputs);
    a.flags.push_back(fmt::format(
        "more bytes: {} moves {:.2f} x the bytes of the tensors ({}){}", a.bound_level,
        a.bytes / tensors, to_string(a.bytes_source),
        cause.empty() ? ", not explained by allocation or whole passes" : ": " + cause));
}

/// Which unit worked is told by the rate, not by the kernel's name.
void add_matrix_unit_flag(RowAnalysis& a, const Roofline& roofline) {
    if (!a.rate) return;
    const auto vector = std::find_if(roofline.compute.begin(), roofline.compute.end(),
                                     [](const ComputeRoof& roof) { return roof.isa < Isa::amx; });
    if (vector == roofline.compute.begin() || vector == roofline.compute.end()) return;
    if (*a.rate > vector->rate)
        a.flags.push_back(fmt::format("matrix unit in use: {} is beyond the {} roof of {}",
                                      format(*a.rate), vector->name, format(vector->rate)));
}

}  // namespace

bool is_narrow(const ComputeRoof& roof, const Roofline& roofline) {
    return roof.rate.value() < 0.95 * roofline.compute.front().rate.value();
}

bool is_reference_kernel(const Measurement& row) {
    if (row.kind == LayerKind::reorder) return has_part(row.implementation, "ref");
    return has_part(row.implementation, "ref") || has_part(row.implementation, "simple");
}

bool denormals_found(double assists, double instructions) {
    return instructions > 0 && assists * 1000 > instructions;
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
    if (demand.useful.value() > 0 && !roofline.compute.empty())
        add_kernel_flags(a, demand, roofline);
    add_traffic_flag(a, demand, roofline);
    add_matrix_unit_flag(a, roofline);
    add_denormals_flag(a);
    if (demand.useful.value() > 0 && roofline.compute.empty())
        a.flags.push_back(fmt::format("no compute roof: the machine file has no ceiling for {}",
                                      to_string(roofline.dtype)));
}

}  // namespace ridge
