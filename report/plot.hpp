// One description of a plot, drawn by several writers: gnuplot (svg, png, pdf) and Chart.js
// (HTML). A builder decides everything that carries meaning (axes, ticks, what is labelled where,
// sizes, colours, hover text); a writer only puts it on its canvas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridge/roofline.hpp"

namespace ridge::report {

enum class Scale { linear, logarithmic };

struct Tick {
    double value = 0;
    std::string label = {};  ///< empty: a small tick without text
};

/// Range and ticks in the unit that the title names. low < high; both > 0 when logarithmic.
struct Axis {
    std::string title = {};
    Scale scale = Scale::linear;
    double low = 0, high = 1;
    std::vector<Tick> ticks = {};
};

struct Point {
    double x = 0, y = 0;
};

enum class Anchor { start, middle, end };
/// How a label lies: along the x axis, parallel to a line that rises one decade per decade, or
/// steeply upwards where many labels stand close together.
enum class Slant { level, along_bandwidth, steep };

struct Label {
    std::string text = {};
    Point at = {};
    Anchor anchor = Anchor::start;
    Slant slant = Slant::level;
    std::string colour = {};  ///< empty: colour of ordinary text
    bool below = false;       ///< stands under its line instead of above it
};

enum class Stroke { strong, thin, dashed };

struct Line {
    std::vector<Point> points = {};
    Stroke stroke = Stroke::strong;
    std::string colour = {};
    std::string name = {};  ///< for hover text and tests; the visible text is a Label
};

enum class Symbol { circle, square, triangle_up, triangle_down, diamond };

struct Dot {
    Point at = {};
    double area = 0;  ///< square CSS pixels (1/96 inch)
    std::string colour = {};
    Symbol symbol = Symbol::circle;
    bool filled = true;         ///< hollow: the time is an upper bound
    bool beyond_right = false;  ///< lies right of the axis, drawn at its end with an arrow
    int row = -1;               ///< index into RunAnalysis::rows; -1: none
    std::vector<std::string> hover = {};
};

/// One part of a stacked bar; `series` indexes Panel::series.
struct Segment {
    std::size_t series = 0;
    double value = 0;
    std::vector<std::string> hover = {};
};
struct Bar {
    std::string name = {};
    std::string total = {};  ///< text at the end of the bar
    std::vector<Segment> segments = {};
};
struct Series {
    std::string name = {}, colour = {};
};

/// A plane with axes, or (when `bars` is not empty) horizontal stacked bars from top to bottom
/// along x; the y axis then has the names of the bars.
struct Panel {
    std::string title = {};
    Axis x = {}, y = {};
    std::vector<Line> lines = {};
    std::vector<Label> labels = {};
    std::vector<Point> marks = {};  ///< small rings, as ridge points
    std::vector<Dot> dots = {};     ///< largest first, so that small ones stay visible
    std::vector<Series> series = {};
    std::vector<Bar> bars = {};
    double width_share = 1;  ///< of the plot's width
};

struct LegendEntry {
    std::string text = {};
    std::string colour = {};            ///< empty: ordinary text colour
    std::optional<Symbol> symbol = {};  ///< nothing: a filled patch
    bool filled = true;
};

struct Plot {
    std::string name = {};  ///< "roofline"
    std::string title = {}, subtitle = {};
    std::vector<Panel> panels = {};  ///< side by side
    std::vector<LegendEntry> legend = {};
    std::vector<std::string> notes = {};  ///< what could not be drawn and why; how to read it
    double width = 1200, height = 720;    ///< CSS pixels
};

/// All plots that `ridge plot` and the report draw of one run (docs/extending/plot.md).
struct PlotKind {
    std::string name, description;
    Plot (*build)(const RunAnalysis&);
};
[[nodiscard]] const std::vector<PlotKind>& plot_kinds();

[[nodiscard]] Plot roofline_plot(const RunAnalysis& run);
[[nodiscard]] Plot layers_plot(const RunAnalysis& run);

}  // namespace ridge::report
