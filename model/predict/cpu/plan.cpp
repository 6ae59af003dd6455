#include "model/predict/cpu/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "model/predict/cpu/kernel_class.hpp"

namespace ridge::cpu {
namespace {

double distance(const Candidate& a, const Candidate& b) {
    // Layers of different kernels tell more than sizes of one kernel do.
    double sum = a.kind == b.kind ? 0 : 4;
    for (std::size_t i = 0; i < a.place.size() && i < b.place.size(); ++i)
        sum += (a.place[i] - b.place[i]) * (a.place[i] - b.place[i]);
    return sum;
}

class Choice {
public:
    Choice(std::span<const Candidate> candidates, double budget_s)
        : candidates_(candidates),
          budget_(budget_s),
          nearest_(candidates.size(), std::numeric_limits<double>::infinity()) {}

    bool take(std::size_t i) {
        if (nearest_[i] <= 0 || candidates_[i].cost_s > budget_) return false;
        budget_ -= candidates_[i].cost_s;
        chosen.push_back(i);
        for (std::size_t j = 0; j < candidates_.size(); ++j)
            nearest_[j] = std::min(nearest_[j], distance(candidates_[i], candidates_[j]));
        return true;
    }

    /// Farthest one that the budget still allows; false when there is none.
    bool take_farthest() {
        std::size_t best = candidates_.size();
        for (std::size_t i = 0; i < candidates_.size(); ++i)
            if (candidates_[i].cost_s <= budget_ && nearest_[i] > 0 &&
                (best == candidates_.size() || nearest_[i] > nearest_[best]))
                best = i;
        return best < candidates_.size() && take(best);
    }

    std::vector<std::size_t> chosen;

private:
    std::span<const Candidate> candidates_;
    double budget_;
    std::vector<double> nearest_;
};

}  // namespace

Candidate candidate_of(const Layer& layer, double cost_s) {
    const double flops = std::max(1.0, useful_flops(layer, Pass::forward).value());
    const double bytes = std::max(1.0, footprint(layer, Pass::forward).value());
    Candidate c;
    c.layer = layer;
    c.cost_s = cost_s;
    c.kind = class_of(layer, Pass::forward);
    c.place = {std::log10(flops), std::log10(bytes), std::log10(flops / bytes),
               std::log10(static_cast<double>(layer.dims.ic)),
               std::log10(static_cast<double>(layer.dims.mb))};
    return c;
}

std::vector<std::size_t> choose_spread_out(std::span<const Candidate> candidates, double budget_s) {
    Choice choice(candidates, budget_s);
    std::map<std::string, std::size_t> cheapest;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto [entry, is_new] = cheapest.try_emplace(candidates[i].kind, i);
        if (!is_new && candidates[i].cost_s < candidates[entry->second].cost_s) entry->second = i;
    }
    for (const auto& [kind, index] : cheapest) choice.take(index);
    while (choice.take_farthest()) {
    }
    return choice.chosen;
}

}  // namespace ridge::cpu
