// Time per layer, stacked by pass, in the order of the network.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/palette.hpp"
#include "report/plots/axes.hpp"
#include "report/row_text.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

constexpr std::size_t reorder_series = all_passes.size();

std::vector<Series> pass_series() {
    std::vector<Series> series;
    for (const Pass pass : all_passes) series.push_back({title_of(pass), colour_of(pass)});
    series.push_back({"reorder", colour_of(LayerKind::reorder)});
    return series;
}

std::size_t series_of(const Measurement& row) {
    if (shown_kind(row) == LayerKind::reorder) return reorder_series;
    const auto* found = std::find(all_passes.begin(), all_passes.end(), row.key.pass);
    return static_cast<std::size_t>(found - all_passes.begin());
}

struct LayerTime {
    std::string name;
    std::array<Segment, all_passes.size() + 1> segments;
    double total_s = 0;
    bool upper_bound = false;
};

/// Rows come in step order, so layers appear in the order of their first row.
std::vector<LayerTime> times_by_layer(const RunAnalysis& run) {
    std::vector<LayerTime> layers;
    std::map<std::string, std::size_t> index;
    for (const RowAnalysis& row : run.rows) {
        const double time_s = row.row.time.time.value();
        if (!std::isfinite(time_s) || time_s < 0) continue;
        const auto [entry, added] = index.try_emplace(row.row.key.layer, layers.size());
        if (added) layers.push_back({.name = row.row.key.layer, .segments = {}});
        LayerTime& layer = layers[entry->second];
        Segment& segment = layer.segments[series_of(row.row)];
        segment.value += time_s;  // the axis unit is chosen when the longest bar is known
        segment.hover.push_back(fmt::format("{}: {}, {}, {}", row_title(row.row),
                                            time_text(row.row.time),
                                            format_percent(row.share_of_step), bound_text(row)));
        layer.total_s += time_s;
        layer.upper_bound = layer.upper_bound || row.row.time.upper_bound;
    }
    return layers;
}

}  // namespace

Plot layers_plot(const RunAnalysis& run) {
    Plot plot{.name = "layers",
              .title = "Time per layer",
              .subtitle = fmt::format("{}, batch {}, {} thread{}; sum of all rows {}",
                                      run.info.network, run.info.batch, run.info.threads,
                                      run.info.threads == 1 ? "" : "s", format(run.sum))};
    Panel panel{.series = pass_series()};
    std::array<bool, all_passes.size() + 1> used{};
    auto layers = times_by_layer(run);
    double longest_s = 0;
    for (const LayerTime& layer : layers) longest_s = std::max(longest_s, layer.total_s);
    const auto [unit, per_second] = longest_s < 1e-3 ? std::pair{"µs", 1e6} : std::pair{"ms", 1e3};
    bool any_upper_bound = false;
    for (LayerTime& layer : layers) {
        Bar bar{.name = layer.name};
        for (std::size_t s = 0; s < layer.segments.size(); ++s) {
            if (layer.segments[s].hover.empty()) continue;
            used[s] = true;
            layer.segments[s].series = s;
            layer.segments[s].value *= per_second;
            bar.segments.push_back(std::move(layer.segments[s]));
        }
        const double share = run.sum.value() > 0 ? layer.total_s / run.sum.value() : 0;
        bar.total = fmt::format("{}{}  {}", layer.upper_bound ? "≤ " : "",
                                format(Seconds(layer.total_s)), format_percent(share));
        any_upper_bound = any_upper_bound || layer.upper_bound;
        panel.bars.push_back(std::move(bar));
    }
    // Room behind the longest bar for the text at its end.
    panel.x =
        linear_axis(fmt::format("time of one execution ({})", unit), longest_s * per_second * 1.18);
    for (std::size_t s = 0; s < used.size(); ++s)
        if (used[s])
            plot.legend.push_back({.text = panel.series[s].name, .colour = panel.series[s].colour});
    if (any_upper_bound)
        plot.notes.push_back(
            "≤: at least one pass had too few undisturbed samples; its time is an "
            "upper bound.");
    if (panel.bars.empty()) plot.notes.push_back("The run has no rows.");
    const double bar_height = panel.bars.size() > 80 ? 14 : 20;
    plot.width = 1000;
    plot.height =
        150 + bar_height * static_cast<double>(std::max<std::size_t>(panel.bars.size(), 4));
    plot.panels.push_back(std::move(panel));
    return plot;
}

}  // namespace ridge::report
