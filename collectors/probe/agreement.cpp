#include "collectors/probe/agreement.hpp"

#include <algorithm>
#include <map>

#include "collectors/probe/names.hpp"
#include "ridge/statistics.hpp"

namespace ridge::probe {
namespace {

using Figures = std::map<std::string, double>;

Figures ceilings_of(const Machine& machine) {
    Figures figures;
    for (const auto& ceiling : machine.compute)
        figures[name_of(ceiling)] = ceiling.flops_per_s.value;
    for (const auto& level : machine.levels)
        for (const auto& bandwidth : level.bandwidths)
            figures[name_of(level.name, bandwidth)] = bandwidth.bytes_per_s.value;
    return figures;
}

Figures others_of(const Machine& machine) {
    Figures figures;
    for (const auto& level : machine.levels) {
        if (level.latency_s) figures[name_of_latency(level.name)] = level.latency_s->value;
        if (level.effective_capacity_bytes)
            figures[level.name + " effective capacity"] = level.effective_capacity_bytes->value;
    }
    for (const auto& [threads, figure] : machine.overheads.parallel_region_s)
        figures[name_of_region(threads)] = figure.value;
    if (machine.overheads.empty_primitive_s)
        figures["empty primitive"] = machine.overheads.empty_primitive_s->value;
    if (machine.overheads.sse_transition_s)
        figures["SSE/AVX transition"] = machine.overheads.sse_transition_s->value;
    return figures;
}

std::vector<FigurePair> pair_up(const Figures& first, const Figures& second,
                                std::vector<std::string>& only_one) {
    std::vector<FigurePair> pairs;
    for (const auto& [name, value] : first) {
        const auto other = second.find(name);
        if (other == second.end())
            only_one.push_back(name);
        else
            pairs.push_back({name, value, other->second});
    }
    for (const auto& [name, value] : second)
        if (!first.contains(name)) only_one.push_back(name);
    std::stable_sort(pairs.begin(), pairs.end(), [](const FigurePair& a, const FigurePair& b) {
        return a.difference() > b.difference();
    });
    return pairs;
}

}  // namespace

double FigurePair::difference() const {
    return relative_difference(first, second);
}

Agreement compare_probes(const Machine& first, const Machine& second) {
    Agreement agreement;
    agreement.ceilings = pair_up(ceilings_of(first), ceilings_of(second), agreement.only_one);
    agreement.others = pair_up(others_of(first), others_of(second), agreement.only_one);
    return agreement;
}

double median_difference(const std::vector<FigurePair>& pairs) {
    if (pairs.empty()) return 0;
    std::vector<double> differences;
    for (const FigurePair& pair : pairs) differences.push_back(pair.difference());
    return median(differences);
}

}  // namespace ridge::probe
