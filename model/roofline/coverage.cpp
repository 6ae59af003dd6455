#include "model/roofline/coverage.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ridge/counter_names.hpp"

namespace ridge {
namespace {

/// Below it a row is not worth an entry: a handful of lines of parameters.
constexpr double listed_share = 0.999;

const Reading* find(const Measurement& row, const char* name) {
    const auto found = row.counters.find(name);
    return found == row.counters.end() ? nullptr : &found->second;
}

bool has_counted_bytes(const RowAnalysis& row) {
    return std::any_of(row.terms.begin(), row.terms.end(), [](const Term& term) {
        return term.bytes && term.bytes_source != Source::algorithmic;
    });
}

/// Share of the row that is traced and simulated, and why it is not all of it.
std::pair<double, std::string> traced_part(const RowAnalysis& a) {
    const Reading* share = find(a.row, counter::traced_share);
    if (share == nullptr || !share->available()) return {0, "no counters in this run"};
    if (share->value() > 0 && !has_counted_bytes(a)) {
        for (const auto& [name, reading] : a.row.counters)
            if (name.ends_with("_bytes") && !reading.available()) return {0, reading.reason()};
        return {0, "bytes of some level were not counted"};
    }
    const Reading* flops = find(a.row, counter::flops);
    if (share->value() > 0 && flops != nullptr && !flops->available() && a.useful_flops.value() > 0)
        return {0, "FLOPs: " + flops->reason()};
    const Reading* rest = find(a.row, counter::untraced_work);
    return {share->value(), rest != nullptr ? rest->reason() : ""};
}

}  // namespace

Coverage coverage_of(const RunAnalysis& run) {
    Coverage coverage;
    std::map<std::pair<bool, std::string>, CoverageGap> gaps;
    for (const RowAnalysis& a : run.rows) {
        const bool known = !a.level.empty();
        auto [traced, reason] = traced_part(a);
        if (!known) traced = 0, reason = a.verdict;
        coverage.traced += traced * a.share_of_step;
        (known ? coverage.analytic : coverage.none) += (1 - traced) * a.share_of_step;
        if (traced >= listed_share) continue;
        CoverageGap& gap = gaps[{known, a.row.implementation}];
        if (gap.rows.empty()) gap = {a.row.implementation, reason, known, traced > 0, 0, {}};
        gap.share += (1 - traced) * a.share_of_step;
        gap.rows.push_back(a.row.key);
    }
    for (auto& [key, gap] : gaps) coverage.gaps.push_back(std::move(gap));
    std::stable_sort(coverage.gaps.begin(), coverage.gaps.end(),
                     [](const CoverageGap& a, const CoverageGap& b) { return a.share > b.share; });
    return coverage;
}

}  // namespace ridge
