// Gradient-boosted regression trees: the baseline that knows nothing of processors and learns from
// shapes alone. Squared loss, exact greedy splits, shrinkage; Friedman, Ann. Statist. 29 (2001).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ridge::validate {

struct TreeOptions {
    int trees = 400;
    int depth = 5;
    double shrinkage = 0.06;
    std::size_t least_leaf = 3;  ///< rows
};

class BoostedTrees {
public:
    /// `features`: rows of equal length. Throws Error bad_input for no rows or rows of different
    /// length.
    BoostedTrees(const std::vector<std::vector<double>>& features, std::span<const double> target,
                 const TreeOptions& options = {});
    [[nodiscard]] double predict(std::span<const double> features) const;

private:
    struct Node {
        int feature = -1;  ///< -1: a leaf
        double threshold = 0, value = 0;
        std::int32_t left = -1, right = -1;
    };
    struct Builder;
    std::vector<std::vector<Node>> trees_;
    double mean_ = 0, shrinkage_ = 0;
};

}  // namespace ridge::validate
