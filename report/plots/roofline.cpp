// The roofline of a run: log-log, every ceiling labelled at its line, one dot for each row. Rows
// without FLOPs have no place on a logarithmic FLOP axis; they get a panel of their own, bytes per
// second against the bandwidth ceilings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "report/palette.hpp"
#include "report/plots/axes.hpp"
#include "report/plots/hierarchical.hpp"
#include "report/plots/labels.hpp"
#include "report/row_text.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

constexpr double largest_area = 700, smallest_area = 28, default_area = 60,
                 total_area = 16000;      // px^2
constexpr std::size_t most_labelled = 6;  // rows whose dots are labelled one by one
bool drawable(double value) {
    return std::isfinite(value) && value > 0;
}

/// Area in proportion to the share of the step. The scale is set by the largest dot, and, where
/// many rows have similar shares, by what all dots may cover together. All times 0: every dot has
/// the default size instead of 0/0.
class DotArea {
public:
    explicit DotArea(const RunAnalysis& run) {
        for (const auto& row : run.rows)
            if (std::isfinite(row.share_of_step)) largest_ = std::max(largest_, row.share_of_step);
        if (largest_ > 0) per_share_ = std::min(largest_area / largest_, total_area);
    }
    [[nodiscard]] double operator()(double share) const {
        if (largest_ <= 0 || !std::isfinite(share)) return default_area;
        return std::max(smallest_area, per_share_ * share);
    }
    [[nodiscard]] double largest_share() const { return largest_; }
    /// Shares below this one are all drawn at the smallest size.
    [[nodiscard]] double smallest_share() const { return smallest_area / per_share_; }

private:
    double largest_ = 0, per_share_ = 1;
};

Dot dot_of(const RowAnalysis& row, int index, const DotArea& area) {
    return {.area = area(row.share_of_step),
            .colour = colour_of(shown_kind(row.row)),
            .symbol = symbol_of(row.row.key.pass),
            .filled = !row.row.time.upper_bound,
            .row = index,
            .hover = hover_text(row)};
}

struct Canvas {
    double width, height;  ///< px of the plane, without margins
    [[nodiscard]] double x_per_decade(const Axis& axis) const {
        return width / std::log10(axis.high / axis.low);
    }
    [[nodiscard]] double y_per_decade(const Axis& axis) const {
        return height / std::log10(axis.high / axis.low);
    }
};

/// Compute roofs that would lie on top of each other share one line and one label.
struct Roof {
    std::string label;
    double rate;
};
std::vector<Roof> distinct_roofs(const Roofline& roofline) {
    constexpr double same = 1.03;
    std::vector<Roof> roofs;
    std::vector<std::string> names;
    double first = 0;
    const auto flush = [&] {
        if (names.empty()) return;
        const std::string all = std::accumulate(
            std::next(names.begin()), names.end(), names.front(),
            [](const std::string& a, const std::string& b) { return a + ", " + b; });
        roofs.push_back({fmt::format("{} {}", all, format(FlopsPerSecond(first))), first});
        names.clear();
    };
    for (const auto& roof : roofline.compute) {
        if (!drawable(roof.rate.value())) continue;
        if (names.empty() || first / roof.rate.value() > same) {
            flush();
            first = roof.rate.value();
        }
        names.push_back(roof.name);
    }
    flush();
    return roofs;
}

/// Ridge points on the highest roof, each with a label that rises from it; where points stand too
/// close together the labels of the right ones start further right.
void draw_ridge_points(Panel& panel, const Roofline& roofline, double top, const Canvas& canvas) {
    constexpr double least_distance = 1.4 * label_height;  // along x, for steep text
    double previous = -1e9;
    for (std::size_t i = 0; i < roofline.bandwidth.size(); ++i) {
        const auto& roof = roofline.bandwidth[i];
        if (!roof.ridge || !drawable(roof.ridge->value())) continue;
        const double x = roof.ridge->value(), px = canvas.x_per_decade(panel.x);
        const double label_px = std::max(std::log10(x) * px, previous + least_distance);
        previous = label_px;
        panel.marks.push_back({x, top});
        panel.labels.push_back({.text = fmt::format("{} ridge {}", roof.level, format(*roof.ridge)),
                                .at = {std::pow(10, label_px / px), top},
                                .slant = Slant::steep,
                                .colour = level_colour(i)});
    }
}

void draw_bandwidth_roofs(Panel& panel, const Roofline& roofline, double top,
                          const Canvas& canvas) {
    const double px = canvas.x_per_decade(panel.x), py = canvas.y_per_decade(panel.y);
    const double angle = std::atan2(py, px);
    std::vector<Label> labels;
    std::vector<LineLabel> lines;
    for (std::size_t i = 0; i < roofline.bandwidth.size(); ++i) {
        const auto& roof = roofline.bandwidth[i];
        const double rate = roof.rate.value();
        if (!drawable(rate)) continue;
        const double start = std::max(panel.x.low, panel.y.low / rate);
        const double end = std::min(panel.x.high, top / rate);  // up to the highest roof
        if (end <= start) continue;
        panel.lines.push_back({.points = {{start, start * rate}, {end, end * rate}},
                               .stroke = Stroke::strong,
                               .colour = level_colour(i),
                               .name = roof.level});
        labels.push_back({.text = fmt::format("{} {}", roof.level, format(roof.rate)),
                          .at = {start, rate},
                          .slant = Slant::along_bandwidth,
                          .colour = level_colour(i)});
        lines.push_back(
            {std::log10(rate) * py * std::cos(angle), label_length(labels.back().text)});
    }
    const auto places = place_labels(lines);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double start = labels[i].at.x, rate = labels[i].at.y;
        const double x = start * std::pow(10, (14 + places[i].shift) * std::cos(angle) / px);
        labels[i].at = {x, x * rate};
        labels[i].below = places[i].below;
        panel.labels.push_back(std::move(labels[i]));
    }
    draw_ridge_points(panel, roofline, top, canvas);
}

void draw_compute_roofs(Panel& panel, const Roofline& roofline, const Canvas& canvas) {
    double steepest = 0;
    for (const auto& roof : roofline.bandwidth) steepest = std::max(steepest, roof.rate.value());
    const auto roofs = distinct_roofs(roofline);
    std::vector<LineLabel> lines;
    for (const auto& roof : roofs)
        lines.push_back(
            {std::log10(roof.rate) * canvas.y_per_decade(panel.y), label_length(roof.label)});
    const auto places = place_labels(lines);
    for (std::size_t i = 0; i < roofs.size(); ++i) {
        const double rate = roofs[i].rate;
        // An inner roof starts where the steepest bandwidth line meets it.
        const double start =
            drawable(steepest) ? std::max(panel.x.low, rate / steepest) : panel.x.low;
        panel.lines.push_back({.points = {{start, rate}, {panel.x.high, rate}},
                               .stroke = i == 0 ? Stroke::strong : Stroke::dashed,
                               .name = roofs[i].label});
        const double x =
            panel.x.high / std::pow(10, (8 + places[i].shift) / canvas.x_per_decade(panel.x));
        panel.labels.push_back({.text = roofs[i].label,
                                .at = {x, rate},
                                .anchor = Anchor::end,
                                .below = places[i].below});
    }
}

void sort_large_first(std::vector<Dot>& dots) {
    std::stable_sort(dots.begin(), dots.end(),
                     [](const Dot& a, const Dot& b) { return a.area > b.area; });
}

/// Names for a note, not more than a line of them.
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 5; ++i) text += (i ? ", " : "") + names[i];
    if (names.size() > 5) text += fmt::format(" and {} more", names.size() - 5);
    return text;
}

Panel compute_panel(const RunAnalysis& run, const DotArea& area, double width_px, double height_px,
                    std::vector<std::string>& notes) {
    PositiveRange x, y;
    for (const auto& roof : run.roofline.compute) y.include(roof.rate.value());
    for (const auto& roof : run.roofline.bandwidth)
        if (roof.ridge) x.include(roof.ridge->value());

    Panel panel{.title = "Rows with arithmetic"};
    std::vector<std::string> undrawable;
    std::vector<std::pair<std::string, std::vector<LevelDot>>> hierarchies;  // with the row's title
    bool any_beyond = false;
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
        const RowAnalysis& row = run.rows[i];
        if (row.useful_flops.value() <= 0) continue;
        if (!row.rate || !drawable(row.rate->value())) {
            undrawable.push_back(row_title(row.row));
            continue;
        }
        Dot dot = dot_of(row, static_cast<int>(i), area);
        if (auto levels = level_dots(row, dot, run.roofline); !levels.empty()) {
            for (const LevelDot& one : levels) x.include(one.dot.at.x);
            y.include(row.rate->value());
            hierarchies.emplace_back(row_title(row.row), std::move(levels));
            continue;
        }
        dot.beyond_right = !row.intensity || !drawable(row.intensity->value());
        any_beyond = any_beyond || dot.beyond_right;
        if (!dot.beyond_right) x.include(dot.at.x = row.intensity->value());
        y.include(dot.at.y = row.rate->value());
        panel.dots.push_back(std::move(dot));
    }
    double top = 0;  // where bandwidth lines end: the highest roof, of whatever kind
    for (const auto& roof : run.roofline.compute) top = std::max(top, roof.rate.value());
    const bool has_compute_roof = drawable(top);
    // Above the highest roof stand the labels of the ridge points.
    panel.x = log_axis("arithmetic intensity (FLOP/B)", x, 2, 4);
    panel.y = log_axis("performance (FLOP/s)", y, 2, has_compute_roof ? 6 : 2);
    if (!has_compute_roof) {
        top = panel.y.high;
        notes.push_back(fmt::format("The machine file has no compute ceiling for {}.",
                                    to_string(run.roofline.dtype)));
    }
    const Canvas canvas{width_px, height_px};
    draw_bandwidth_roofs(panel, run.roofline, top, canvas);
    draw_compute_roofs(panel, run.roofline, canvas);
    for (Dot& dot : panel.dots)
        if (dot.beyond_right) dot.at.x = panel.x.high;
    for (auto& [title, levels] : hierarchies) {
        join(panel, levels, title, hierarchies.size() <= most_labelled,
             canvas.x_per_decade(panel.x), canvas.y_per_decade(panel.y));
        for (LevelDot& one : levels) panel.dots.push_back(std::move(one.dot));
    }
    sort_large_first(panel.dots);
    if (any_beyond)
        notes.push_back(
            "Dots with an arrow at the right border: arithmetic intensity not defined, "
            "no bytes known.");
    if (!undrawable.empty())
        notes.push_back("Not drawn, no time or rate: " + listed(undrawable) + ".");
    return panel;
}

/// A ceiling is solid up to the capacity of its level: data beyond it comes from further away.
void draw_level(Panel& panel, const BandwidthRoof& roof, std::size_t index) {
    const double rate = roof.rate.value();
    const double end = roof.capacity && drawable(roof.capacity->value())
                           ? std::clamp(roof.capacity->value(), panel.x.low, panel.x.high)
                           : panel.x.high;
    if (end > panel.x.low)
        panel.lines.push_back({.points = {{panel.x.low, rate}, {end, rate}},
                               .stroke = Stroke::strong,
                               .colour = level_colour(index),
                               .name = roof.level});
    if (end < panel.x.high)
        panel.lines.push_back({.points = {{end, rate}, {panel.x.high, rate}},
                               .stroke = Stroke::dashed,
                               .colour = level_colour(index),
                               .name = roof.level + " beyond its capacity"});
}

void draw_levels(Panel& panel, const Roofline& roofline, const Canvas& canvas) {
    std::vector<LineLabel> lines;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < roofline.bandwidth.size(); ++i) {
        const auto& roof = roofline.bandwidth[i];
        if (!drawable(roof.rate.value())) continue;
        draw_level(panel, roof, i);
        labels.push_back({.text = fmt::format("{} {}", roof.level, format(roof.rate)),
                          .at = {panel.x.low, roof.rate.value()},
                          .colour = level_colour(i)});
        lines.push_back({std::log10(roof.rate.value()) * canvas.y_per_decade(panel.y),
                         label_length(labels.back().text)});
    }
    const auto places = place_labels(lines);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i].at.x *= std::pow(10, (8 + places[i].shift) / canvas.x_per_decade(panel.x));
        labels[i].below = places[i].below;
        panel.labels.push_back(std::move(labels[i]));
    }
}

/// x is the memory that the row touches, so that each ceiling can end at its level's capacity.
std::optional<Panel> bandwidth_panel(const RunAnalysis& run, const DotArea& area, double width_px,
                                     double height_px, std::vector<std::string>& notes) {
    PositiveRange x, y;
    Panel panel{.title = "Rows without arithmetic"};
    std::vector<std::string> undrawable;
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
        const RowAnalysis& row = run.rows[i];
        if (row.useful_flops.value() > 0) continue;
        const double footprint = row.footprint.value(), rate = row.traffic_rate.value();
        if (!drawable(footprint) || !drawable(rate)) {
            undrawable.push_back(row_title(row.row));
            continue;
        }
        Dot dot = dot_of(row, static_cast<int>(i), area);
        dot.at = {footprint, rate};
        x.include(footprint);
        y.include(rate);
        panel.dots.push_back(std::move(dot));
    }
    if (!undrawable.empty())
        notes.push_back("Not drawn, neither FLOPs nor bytes: " + listed(undrawable) + ".");
    if (panel.dots.empty()) return std::nullopt;
    for (const auto& roof : run.roofline.bandwidth) y.include(roof.rate.value());
    panel.x = log_axis("memory touched (B)", x, 3, 3);
    panel.y = log_axis("traffic (B/s)", y, 2, 2);
    draw_levels(panel, run.roofline, {width_px, height_px});
    sort_large_first(panel.dots);
    return panel;
}

std::vector<LegendEntry> legend_of(const RunAnalysis& run) {
    std::vector<LegendEntry> legend;
    std::set<LayerKind> kinds;
    std::set<Pass> passes;
    std::set<std::string> simulated;
    bool hollow = false;
    for (const auto& row : run.rows) {
        // Dots of simulated rows have the colours of their levels instead of the kind's.
        if (row.simulated.empty() || row.useful_flops.value() <= 0)
            kinds.insert(shown_kind(row.row));
        else
            for (const LevelBytes& level : row.simulated)
                if (level.bytes.value() > 0) simulated.insert(level.level);
        passes.insert(row.row.key.pass);
        hollow = hollow || row.row.time.upper_bound;
    }
    for (std::size_t i = 0; i < run.roofline.bandwidth.size(); ++i)
        if (const std::string& level = run.roofline.bandwidth[i].level; simulated.contains(level))
            legend.push_back({.text = level + " (simulated bytes)", .colour = level_colour(i)});
    for (const LayerKind kind : kinds)
        legend.push_back({.text = title_of(kind), .colour = colour_of(kind)});
    for (const Pass pass : passes)
        legend.push_back({.text = title_of(pass), .symbol = symbol_of(pass)});
    if (hollow)
        legend.push_back(
            {.text = "time is an upper bound", .symbol = Symbol::circle, .filled = false});
    return legend;
}

/// What was simulated: traced kernels, the loops of a plain implementation, or both.
std::string origin_of_bytes(const RunAnalysis& run) {
    std::size_t traced = 0, all = 0;
    for (const RowAnalysis& row : run.rows) {
        if (row.simulated.empty()) continue;
        ++all;
        traced += row.simulated.front().traced;
    }
    constexpr const char* plain = "loops of a plain direct implementation";
    if (traced == 0) return plain;
    if (traced == all) return "the traced kernels of the run";
    return fmt::format("the traced kernels of {} rows, {} for {}", traced, plain, all - traced);
}

}  // namespace

Plot roofline_plot(const RunAnalysis& run) {
    Plot plot{
        .name = "roofline",
        .title = "Roofline",
        .subtitle = fmt::format("{}, batch {}, {}, {} thread{}, roofs of {}", run.info.network,
                                run.info.batch, to_string(run.roofline.dtype), run.roofline.threads,
                                run.roofline.threads == 1 ? "" : "s", run.machine)};
    const DotArea area(run);
    constexpr double margin_px = 90, head_px = 210;
    auto side = bandwidth_panel(run, area, plot.width * 0.36 - margin_px, plot.height - head_px,
                                plot.notes);
    const double share = side ? 0.64 : 1;
    Panel main =
        compute_panel(run, area, plot.width * share - margin_px, plot.height - head_px, plot.notes);
    main.width_share = share;
    plot.panels.push_back(std::move(main));
    if (side) {
        side->width_share = 1 - share;
        plot.panels.push_back(std::move(*side));
    }
    plot.legend = legend_of(run);
    if (std::any_of(run.rows.begin(), run.rows.end(),
                    [](const RowAnalysis& row) { return !row.simulated.empty(); }))
        plot.notes.push_back(
            fmt::format("Simulated bytes: {} on the caches of {}, {}. A line joins the levels of "
                        "one row; a level that no bytes cross has no dot.",
                        origin_of_bytes(run), run.machine, to_string(run.info.state)));
    if (area.largest_share() > 0)
        plot.notes.insert(
            plot.notes.begin(),
            fmt::format("Dot area: share of the step, largest {}; below {} all have the same size.",
                        format_percent(area.largest_share()),
                        format_percent(area.smallest_share())));
    return plot;
}

}  // namespace ridge::report
