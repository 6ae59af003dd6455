#include "collectors/probe/top_cluster.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace ridge::probe {
namespace {

double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

TopCluster summarise(std::span<const WindowSample> members, bool accepted) {
    std::vector<double> rates, aux;
    for (const auto& member : members) {
        rates.push_back(member.rate);
        aux.push_back(member.aux);
    }
    TopCluster cluster;
    cluster.rate = middle(rates);
    cluster.aux = middle(aux);
    cluster.spread = (members.front().rate - members.back().rate) / cluster.rate;
    cluster.members = static_cast<int>(members.size());
    cluster.accepted = accepted;
    return cluster;
}

bool meets(std::span<const WindowSample> members, const ClusterRule& rule) {
    if (static_cast<int>(members.size()) < rule.windows) return false;
    std::set<int> visits;
    for (const auto& member : members) visits.insert(member.visit);
    return static_cast<int>(visits.size()) >= rule.visits;
}

}  // namespace

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
