#include "model/roofline/row_analysis.hpp"

#include <algorithm>

#include "model/roofline/counted.hpp"
#include "model/roofline/roofs.hpp"
#include "model/roofline/transitions.hpp"

namespace ridge {
namespace {

Term compute_term(const RowAnalysis& a, const Demand& demand, const Roofline& roofline) {
    const auto executed = executed_work(a.row, demand, roofline);
    Term term;
    term.resource = "compute";
    term.ceiling = executed.roof->name;
    term.time = demand.useful / roofline.compute.front().rate;
    term.busy = std::max(term.time, executed.time(demand.useful));
    return term;
}

Term memory_term(const LevelUse& traffic, const Roofline& roofline) {
    const auto roof = std::find_if(roofline.bandwidth.begin(), roofline.bandwidth.end(),
                                   [&](const auto& r) { return r.level == traffic.level; });
    const auto ceiling = ceiling_for_mix(*roof, traffic.written / traffic.total());
    Term term;
    term.resource = traffic.level;
    term.ceiling = ceiling.name;
    term.bytes = traffic.total();
    term.bytes_source = traffic.source;
    term.bandwidth = ceiling.rate;
    term.time = term.busy = traffic.total() / ceiling.rate;
    return term;
}

/// All terms, longest first; of equal ones compute and the outer level come first.
std::vector<Term> terms_of(const RowAnalysis& a, const Demand& demand, const Roofline& roofline) {
    std::vector<Term> terms;
    if (demand.useful.value() > 0 && !roofline.compute.empty())
        terms.push_back(compute_term(a, demand, roofline));
    for (auto level = demand.traffic.rbegin(); level != demand.traffic.rend(); ++level)
        terms.push_back(memory_term(*level, roofline));
    if (roofline.call_overhead && roofline.call_overhead->value() > 0) {
        const Seconds cost = *roofline.call_overhead;
        terms.push_back({"overhead", "call", cost, cost, 0, {}, {}});
    }
    if (auto term = transitions_term(demand, roofline)) terms.push_back(std::move(*term));
    for (auto& term : terms) term.share = term.busy / a.row.time.time;
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& x, const Term& y) { return x.busy > y.busy; });
    return terms;
}

enum class Class { compute, memory, overhead, transitions };
Class class_of(const Term& term) {
    if (is_memory(term)) return Class::memory;
    if (term.resource == transitions_resource) return Class::transitions;
    return term.resource == "compute" ? Class::compute : Class::overhead;
}

void place_under_roof(RowAnalysis& a, const Roofline& roofline) {
    const Seconds time = a.row.time.time;
    const auto memory = std::find_if(a.terms.begin(), a.terms.end(), is_memory);
    if (memory != a.terms.end()) {
        a.level = memory->resource;
        a.bytes = *memory->bytes;
        a.bytes_source = memory->bytes_source;
        a.bandwidth = memory->bandwidth;
        a.bandwidth_kind = memory->ceiling;
        a.traffic_rate = a.bytes / time;
    }
    if (!roofline.compute.empty()) a.peak = roofline.compute.front().rate;
    if (a.useful_flops.value() > 0) {
        a.rate = a.useful_flops / time;
        if (a.bytes.value() > 0) a.intensity = a.useful_flops / a.bytes;
        if (a.intensity) a.roof = *a.intensity * *a.bandwidth;
        if (a.peak) a.roof = a.roof ? std::min(*a.roof, *a.peak) : *a.peak;
    }
    const Seconds least = least_time(a.terms);
    a.attained = least / time;
    a.saved_at_roof = std::max(Seconds(0), time - least);
}

void decide_bound(RowAnalysis& a) {
    if (a.terms.size() > 1) a.runner_up = a.terms[1].resource;
    if (a.terms.empty() || a.terms.front().share < explained_share) return;

    const Term& first = a.terms.front();
    const auto rival = std::find_if(a.terms.begin(), a.terms.end(), [&](const Term& term) {
        return class_of(term) != class_of(first);
    });
    if (rival != a.terms.end() && rival->busy.value() >= balanced_ratio * first.busy.value()) {
        a.bound = Bound::balanced;
        a.bound_level = first.resource + " and " + rival->resource;
        a.runner_up = rival->resource;
        return;
    }
    switch (class_of(first)) {
        case Class::compute:
            a.bound = Bound::compute;
            break;
        case Class::memory:
            a.bound = Bound::memory;
            a.bound_level = first.resource;
            break;
        case Class::overhead:
            a.bound = Bound::overhead;
            break;
        case Class::transitions:
            a.bound = Bound::transitions;
            break;
    }
}

}  // namespace

std::string_view to_string(Bound bound) {
    switch (bound) {
        case Bound::compute:
            return "compute";
        case Bound::memory:
            return "memory";
        case Bound::overhead:
            return "overhead";
        case Bound::transitions:
            return "SSE/AVX transitions";
        case Bound::balanced:
            return "balanced";
        case Bound::undetermined:
            return "undetermined";
    }
    return "?";
}

ExecutedWork executed_work(const Measurement& row, const Demand& demand, const Roofline& roofline) {
    const ComputeRoof* own = &roof_of_kernel(roofline, row.implementation);
    const ComputeRoof* best = &roofline.compute.front();
    const Seconds longest = row.time.time * (1 + repeatability);
    // A count is certain, that the formats' padding is executed and the name's roof are not.
    const double least = demand.executed ? demand.padding : 1;
    for (const auto& claim : {ExecutedWork{demand.padding, own}, ExecutedWork{least, own}})
        if (claim.time(demand.useful) <= longest) return claim;
    return {least, best};
}

Seconds least_time(const std::vector<Term>& terms) {
    Seconds least;
    for (const auto& term : terms) least = std::max(least, term.time);
    return least;
}

bool is_memory(const Term& term) {
    return term.bytes.has_value();
}

RowAnalysis analyse_row(const Measurement& row, const Demand& demand, const Roofline& roofline,
                        const RowContext& context) {
    RowAnalysis a;
    a.row = row;
    a.useful_flops = demand.useful;
    a.executed_flops = executed_flops(row);
    a.minimum_bytes = demand.minimum;
    a.footprint = demand.footprint;
    if (!(row.time.time.value() > 0)) {
        a.flags.push_back("no time: the row was not measured");
        a.verdict = "undetermined: not measured (0 samples), so nothing is known about its bound";
        return a;
    }
    a.terms = terms_of(a, demand, roofline);
    place_under_roof(a, roofline);
    decide_bound(a);
    add_flags(a, demand, roofline);
    a.verdict = verdict_sentence(a, likely_reasons(a, demand, roofline, context));
    return a;
}

}  // namespace ridge
