#include "collectors/probe/top_cluster.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "ridge/statistics.hpp"

namespace ridge::probe {
namespace {

TopCluster summarise(std::span<const WindowSample> members, bool accepted) {
    std::vector<double> rates;
    for (const auto& member : members) rates.push_back(member.rate);
    TopCluster cluster;
    cluster.rate = median(rates);
    cluster.spread = (members.front().rate - members.back().rate) / cluster.rate;
    cluster.members.assign(members.begin(), members.end());
    cluster.accepted = accepted;
    return cluster;
}

bool by_aux(const WindowSample& a, const WindowSample& b) {
    return a.aux < b.aux;
}

bool meets(std::span<const WindowSample> members, const ClusterRule& rule) {
    if (static_cast<int>(members.size()) < rule.windows) return false;
    std::set<int> visits;
    for (const auto& member : members) visits.insert(member.visit);
    return static_cast<int>(visits.size()) >= rule.visits;
}

}  // namespace

double TopCluster::highest_aux() const {
    return std::max_element(members.begin(), members.end(), by_aux)->aux;
}

double TopCluster::lowest_aux() const {
    return std::min_element(members.begin(), members.end(), by_aux)->aux;
}

std::optional<TopCluster> top_cluster(std::span<const WindowSample> samples,
                                      const ClusterRule& rule) {
    if (samples.empty()) return std::nullopt;
    std::vector<WindowSample> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.rate > b.rate; });
    const std::span<const WindowSample> all(sorted);
    for (std::size_t first = 0; first < all.size(); ++first) {
        std::size_t last = first;
        const double lowest = all[first].rate * (1 - rule.tolerance);
        while (last < all.size() && all[last].rate >= lowest) ++last;
        const auto members = all.subspan(first, last - first);
        if (meets(members, rule)) return summarise(members, true);
    }
    const auto best = std::min<std::size_t>(all.size(), static_cast<std::size_t>(rule.windows));
    return summarise(all.first(best), false);
}

}  // namespace ridge::probe
