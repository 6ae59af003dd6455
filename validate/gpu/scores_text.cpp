#include "validate/gpu/scores_text.hpp"

#include <fmt/format.h>

#include <map>

namespace ridge::validate::kernels {
namespace {

std::string percent(double share) {
    return fmt::format("{:.1f}", 100 * share);
}

const Score* find(const Validation& v, const Score& like, std::string_view model) {
    for (const auto& score : v.scores)
        if (score.selection == like.selection && score.split == like.split &&
            score.device == like.device && score.model == model)
            return &score;
    return nullptr;
}

}  // namespace

std::string scores_markdown(const Validation& v) {
    std::string out =
        "| rows | split | n | MAPE | median | p90 | bias | roofline | 3 constants | compute + "
        "memory "
        "| regression |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const auto& score : v.scores) {
        if (score.model != "model" || !score.device.empty()) continue;
        const auto& m = score.metrics;
        out += fmt::format("| {} | {} | {} | **{}** | {} | {} | {:+.1f} |", score.selection,
                           score.split, m.n, percent(m.mape), percent(m.median), percent(m.p90),
                           100 * m.bias);
        for (const auto baseline : all_baselines) {
            const Score* other = find(v, score, to_string(baseline));
            out += other ? fmt::format(" {} |", percent(other->metrics.mape)) : " |";
        }
        out += "\n";
    }
    return out;
}

std::string devices_markdown(const Validation& v) {
    std::string out =
        "| rows | split | of them | n | MAPE | median | p90 | bias |\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const auto& score : v.scores) {
        if (score.model != "model" || score.device.empty()) continue;
        const auto& m = score.metrics;
        out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:+.1f} |\n", score.selection,
                           score.split, score.device, m.n, percent(m.mape), percent(m.median),
                           percent(m.p90), 100 * m.bias);
    }
    return out;
}

std::string steps_markdown(const Validation& v) {
    struct Sum {
        std::size_t layers = 0;
        double predicted_s = 0, measured_s = 0;
    };
    std::map<std::string, Sum> steps;
    for (const auto& layer : v.layers) {
        auto& sum = steps[layer.step];
        ++sum.layers;
        sum.predicted_s += layer.predicted_s;
        sum.measured_s += layer.measured_s;
    }
    if (steps.empty()) return {};
    std::string out =
        "| step | rows | measured, ms | predicted, ms | error, % |\n"
        "|---|---|---|---|---|\n";
    for (const auto& [name, sum] : steps)
        out += fmt::format("| {} | {} | {:.1f} | {:.1f} | {:+.1f} |\n", name, sum.layers,
                           sum.measured_s * 1e3, sum.predicted_s * 1e3,
                           100 * (sum.predicted_s / sum.measured_s - 1));
    return out;
}

std::string choices_markdown(const Validation& v) {
    if (v.choices.empty()) return {};
    std::string out =
        "| rows | device | n | algorithm right, % | always the most frequent, % | "
        "Winograd or not right, % |\n|---|---|---|---|---|---|\n";
    for (const auto& c : v.choices) {
        const auto share = [&](std::size_t count) {
            return percent(static_cast<double>(count) / static_cast<double>(c.n));
        };
        out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.selection, c.device, c.n,
                           share(c.right), share(c.majority), share(c.winograd_right));
    }
    return out;
}

std::string worst_markdown(const Validation& v) {
    std::string out =
        "| rows | split | worst case | predicted, ms | measured, ms |\n"
        "|---|---|---|---|---|\n";
    for (const auto& worst : v.worst)
        out += fmt::format("| {} | {} | {} | {:.4g} | {:.4g} |\n", worst.selection, worst.split,
                           worst.reproduction, worst.predicted_s * 1e3, worst.measured_s * 1e3);
    return out;
}

}  // namespace ridge::validate::kernels
