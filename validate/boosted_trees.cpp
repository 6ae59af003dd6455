#include "validate/boosted_trees.hpp"

#include <algorithm>
#include <numeric>

#include "ridge/error.hpp"
#include "ridge/statistics.hpp"

namespace ridge::validate {

struct BoostedTrees::Builder {
    const std::vector<std::vector<double>>& x;
    const std::vector<double>& residual;
    const TreeOptions& options;
    std::vector<Node> nodes;

    struct Split {
        int feature = -1;
        double threshold = 0, gain = 0;
    };

    /// Largest drop of the squared error.
    [[nodiscard]] Split best_split(const std::vector<std::size_t>& rows) const {
        Split best;
        double sum = 0;
        for (const std::size_t row : rows) sum += residual[row];
        const auto n = static_cast<double>(rows.size());
        const double before = sum * sum / n;
        std::vector<std::size_t> order = rows;
        for (std::size_t f = 0; f < x.front().size(); ++f) {
            std::sort(order.begin(), order.end(),
                      [&](std::size_t a, std::size_t b) { return x[a][f] < x[b][f]; });
            double left = 0;
            for (std::size_t i = 0; i + 1 < order.size(); ++i) {
                left += residual[order[i]];
                if (x[order[i]][f] == x[order[i + 1]][f]) continue;
                if (i + 1 < options.least_leaf || order.size() - i - 1 < options.least_leaf)
                    continue;
                const double right = sum - left, count = static_cast<double>(i + 1);
                const double gain = left * left / count + right * right / (n - count) - before;
                if (gain > best.gain + 1e-12)
                    best = {static_cast<int>(f), (x[order[i]][f] + x[order[i + 1]][f]) / 2, gain};
            }
        }
        return best;
    }

    std::int32_t grow(const std::vector<std::size_t>& rows, int depth) {
        const auto index = static_cast<std::int32_t>(nodes.size());
        nodes.emplace_back();
        double sum = 0;
        for (const std::size_t row : rows) sum += residual[row];
        nodes.back().value = sum / static_cast<double>(rows.size());
        if (depth == 0 || rows.size() < 2 * options.least_leaf) return index;
        const Split split = best_split(rows);
        if (split.feature < 0) return index;
        std::vector<std::size_t> left, right;
        for (const std::size_t row : rows)
            (x[row][static_cast<std::size_t>(split.feature)] < split.threshold ? left : right)
                .push_back(row);
        const std::int32_t l = grow(left, depth - 1), r = grow(right, depth - 1);
        Node& node = nodes[static_cast<std::size_t>(index)];
        node.feature = split.feature;
        node.threshold = split.threshold;
        node.left = l;
        node.right = r;
        return index;
    }
};

namespace {

template <class Nodes>
double value_of(const Nodes& nodes, std::span<const double> features) {
    std::size_t at = 0;
    while (nodes[at].feature >= 0) {
        const bool left =
            features[static_cast<std::size_t>(nodes[at].feature)] < nodes[at].threshold;
        at = static_cast<std::size_t>(left ? nodes[at].left : nodes[at].right);
    }
    return nodes[at].value;
}

}  // namespace

BoostedTrees::BoostedTrees(const std::vector<std::vector<double>>& features,
                           std::span<const double> target, const TreeOptions& options)
    : shrinkage_(options.shrinkage) {
    if (features.empty() || features.size() != target.size() || features.front().empty())
        throw bad_input("boosted trees", "as many rows of features as targets", "others");
    for (const auto& row : features)
        if (row.size() != features.front().size())
            throw bad_input("boosted trees", "rows of equal length", "others");
    mean_ = mean(target);
    std::vector<double> residual;
    for (const double t : target) residual.push_back(t - mean_);
    std::vector<std::size_t> all(features.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (int tree = 0; tree < options.trees; ++tree) {
        Builder builder{features, residual, options, {}};
        builder.grow(all, options.depth);
        for (std::size_t i = 0; i < residual.size(); ++i)
            residual[i] -= shrinkage_ * value_of(builder.nodes, features[i]);
        trees_.push_back(std::move(builder.nodes));
    }
}

double BoostedTrees::predict(std::span<const double> features) const {
    double sum = mean_;
    for (const auto& tree : trees_) sum += shrinkage_ * value_of(tree, features);
    return sum;
}

}  // namespace ridge::validate
