#include "report/plots/hierarchical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/palette.hpp"
#include "report/plots/labels.hpp"
#include "ridge/format.hpp"

namespace ridge::report {

std::vector<LevelDot> level_dots(const RowAnalysis& row, const Dot& model,
                                 const Roofline& roofline) {
    std::vector<LevelDot> dots;
    std::vector<std::string> facts;
    for (const LevelBytes& level : row.simulated) {
        if (!(level.bytes.value() > 0)) {
            facts.push_back(level.level + ": nothing crosses it (simulated)");
            continue;
        }
        const auto roof =
            std::find_if(roofline.bandwidth.begin(), roofline.bandwidth.end(),
                         [&](const BandwidthRoof& one) { return one.level == level.level; });
        const FlopsPerByte intensity = row.useful_flops / level.bytes;
        Dot dot = model;
        dot.at = {intensity.value(), row.rate->value()};
        dot.beyond_right = false;
        dot.colour = level_colour(static_cast<std::size_t>(roof - roofline.bandwidth.begin()));
        dots.push_back({level.level, std::move(dot)});
        facts.push_back(fmt::format("{}: {} (simulated, {}), {}", level.level, format(level.bytes),
                                    level.traced ? "traced kernel" : "plain loops",
                                    format(intensity)));
    }
    for (LevelDot& one : dots)
        one.dot.hover.insert(one.dot.hover.begin() + (one.dot.hover.empty() ? 0 : 1), facts.begin(),
                             facts.end());
    std::stable_sort(dots.begin(), dots.end(),
                     [](const LevelDot& a, const LevelDot& b) { return a.dot.at.x < b.dot.at.x; });
    return dots;
}

void join(Panel& panel, const std::vector<LevelDot>& dots, const std::string& row, bool labelled,
          double x_per_decade, double y_per_decade) {
    constexpr double gap_px = 8;
    if (dots.size() > 1) {
        Line line{.stroke = Stroke::thin, .name = row};
        for (const LevelDot& one : dots) line.points.push_back(one.dot.at);
        panel.lines.push_back(std::move(line));
    }
    if (!labelled) return;
    std::vector<Label> labels;
    for (const auto& [level, dot] : dots) {
        if (!labels.empty() && std::log10(dot.at.x / labels.back().at.x) * x_per_decade <
                                   label_length(labels.back().text) + gap_px) {
            labels.back().text += ", " + level;
            labels.back().colour.clear();
            continue;
        }
        const double radius = std::sqrt(dot.area / std::numbers::pi);
        labels.push_back({.text = level,
                          .at = {dot.at.x, dot.at.y * std::pow(10, radius / y_per_decade)},
                          .colour = dot.colour});
    }
    panel.labels.insert(panel.labels.end(), labels.begin(), labels.end());
}

}  // namespace ridge::report
