#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "report/table.hpp"
#include "report/writers/gnuplot.hpp"

namespace ridge::report {
namespace {

// All lengths in CSS pixels, 12 px type.
constexpr double margin_left = 74, margin_right = 20, margin_bottom = 66, line_height = 18;
constexpr double character = 7;   ///< mean width of a character, generous
constexpr double label_lift = 9;  ///< from a line to the middle of the text above it
constexpr const char* ink = "#222222";

/// Single quotes: gnuplot interprets nothing inside but the doubled quote.
std::string quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : printable(text))
        result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

std::string colour_or_ink(const std::string& colour) {
    return quoted(colour.empty() ? ink : colour);
}

double position(const Axis& axis, double value) {
    if (axis.scale == Scale::linear) return (value - axis.low) / (axis.high - axis.low);
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

struct Box {
    double left, right, bottom, top;  ///< px from the lower left corner of the plot
    [[nodiscard]] double x(const Axis& axis, double value) const {
        return left + (right - left) * position(axis, value);
    }
    [[nodiscard]] double y(const Axis& axis, double value) const {
        return bottom + (top - bottom) * position(axis, value);
    }
};

/// Corners of a symbol of `area` px^2 around its centre, y upwards; none for a circle.
std::vector<Point> corners(Symbol symbol, double area) {
    // An equilateral triangle of circumradius r has the area (3 sqrt(3) / 4) r^2.
    const double r = std::sqrt(area * 4 / (3 * std::numbers::sqrt3));
    const double side = r * std::numbers::sqrt3 / 2, half = std::sqrt(area) / 2;
    const double diagonal = std::sqrt(area / 2);
    switch (symbol) {
        case Symbol::circle:
            return {};
        case Symbol::square:
            return {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
        case Symbol::triangle_up:
            return {{-side, -r / 2}, {side, -r / 2}, {0, r}};
        case Symbol::triangle_down:
            return {{-side, r / 2}, {side, r / 2}, {0, -r}};
        case Symbol::diamond:
            return {{-diagonal, 0}, {0, -diagonal}, {diagonal, 0}, {0, diagonal}};
    }
    return {};
}

class Script {
public:
    Script(const Plot& plot, ImageFormat format) : plot_(plot) {
        layout();
        terminal(format);
        add("set encoding utf8\nset multiplot\nunset key\n");
        head();
        for (std::size_t i = 0; i < plot.panels.size(); ++i) panel(plot.panels[i], boxes_[i]);
        add("unset multiplot\nprint '{}'\n", gnuplot_done);
    }
    [[nodiscard]] std::string text() && { return std::move(out_); }

private:
    template <class... Args>
    void add(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    }

    /// Where the legend's entries and notes go and how much is left for the panels.
    void layout() {
        double x = margin_right, y = 0;
        for (const auto& entry : plot_.legend) {
            const double width = 34 + character * display_width(entry.text);
            if (x + width > plot_.width - margin_right && x > margin_right) {
                x = margin_right;
                y += line_height;
            }
            legend_.push_back({x, y});
            x += width;
        }
        const double head_height = 52 + (plot_.legend.empty() ? 0 : y + line_height + 8);
        const double foot_height = line_height * static_cast<double>(plot_.notes.size());
        double left = 0;
        for (const auto& panel : plot_.panels) {
            const double width = plot_.width * panel.width_share;
            boxes_.push_back({.left = left + left_margin(panel),
                              .right = left + width - margin_right,
                              .bottom = margin_bottom + foot_height,
                              .top = plot_.height - head_height - (panel.title.empty() ? 6 : 26)});
            left += width;
        }
    }

    static double left_margin(const Panel& panel) {
        int longest = 0;
        for (const auto& bar : panel.bars)
            longest = std::max(longest, display_width(shorten(bar.name, longest_name)));
        return std::max(margin_left, 16 + character * longest);
    }

    void terminal(ImageFormat format) {
        const double w = plot_.width, h = plot_.height;
        if (format != ImageFormat::svg) type_ = 0.75;  // points, 72 to the inch
        switch (format) {
            case ImageFormat::svg:
                add("set terminal svg size {:.0f},{:.0f} dynamic noenhanced font 'sans-serif,12' "
                    "background '#ffffff'\n",
                    w, h);
                break;
            case ImageFormat::png:  // twice the pixels, for sharp type
                add("set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'sans-serif,9' "
                    "fontscale 2 linewidth 2 background '#ffffff'\n",
                    2 * w, 2 * h);
                break;
            case ImageFormat::pdf:  // 96 CSS pixels to the inch
                add("set terminal pdfcairo size {:.4f}in,{:.4f}in noenhanced "
                    "font 'sans-serif,9' background '#ffffff'\n",
                    w / 96, h / 96);
                break;
        }
    }

    /// Symbols are objects on the page, not points of a plot: their areas and edges then come out
    /// the same on every terminal.
    void symbol(Symbol symbol, double x, double y, double area, const std::string& fill,
                const std::string& edge) {
        const auto shape = corners(symbol, area);
        if (shape.empty())
            add("set object circle {} size screen {:.5f}", at(x, y),
                std::sqrt(area / std::numbers::pi) / plot_.width);
        else
            add("set object polygon from ");
        for (std::size_t i = 0; i <= shape.size() && !shape.empty(); ++i) {
            const Point& corner = shape[i % shape.size()];
            add("{}screen {:.5f},{:.5f}", i ? " to " : "", (x + corner.x) / plot_.width,
                (y + corner.y) / plot_.height);
        }
        add(" front fillcolor rgb {} fillstyle solid border linecolor rgb {} linewidth 1\n",
            quoted(fill), quoted(edge));
    }

    std::string at(double x, double y) const {
        return fmt::format("at screen {:.5f},{:.5f}", x / plot_.width, y / plot_.height);
    }

    void head() {
        add("unset border\nunset tics\nset margins 0,0,0,0\nset xrange [0:1]\nset yrange [0:1]\n");
        double y = plot_.height - 18;
        add("set label {} {} font ',{:.2f}' textcolor rgb '{}'\n", quoted(plot_.title),
            at(margin_right - 4, y), 17 * type_, ink);
        y -= 22;
        add("set label {} {} textcolor rgb '#555555'\n", quoted(plot_.subtitle),
            at(margin_right - 4, y));
        y -= 22;
        for (std::size_t i = 0; i < plot_.legend.size(); ++i) legend_entry(i, y);
        double foot = line_height * static_cast<double>(plot_.notes.size()) - 8;
        for (const auto& note : plot_.notes) {
            add("set label {} {} textcolor rgb '#555555'\n", quoted(note),
                at(margin_right - 4, foot));
            foot -= line_height;
        }
        add("plot 1/0\nunset label\nunset object\n");
    }

    void legend_entry(std::size_t i, double y) {
        const LegendEntry& entry = plot_.legend[i];
        const double left = legend_[i].x + 4, base = y - legend_[i].y;
        const std::string colour = entry.colour.empty() ? ink : entry.colour;
        symbol(entry.symbol.value_or(Symbol::square), left, base, 80,
               entry.filled ? colour : "#ffffff", colour);
        add("set label {} {} textcolor rgb '{}'\n", quoted(entry.text), at(left + 12, base), ink);
    }

    void panel(const Panel& panel, const Box& box) {
        const double w = plot_.width, h = plot_.height;
        add("set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
            "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n",
            box.left / w, box.right / w, box.bottom / h, box.top / h);
        add("set border 3 linecolor rgb '#888888'\n");
        add("set label {} {} font ',{:.2f}' textcolor rgb '{}'\n", quoted(panel.title),
            at(box.left, box.top + 14), 13 * type_, ink);
        axis(panel.x, "x");
        if (panel.bars.empty()) {
            axis(panel.y, "y");
            add("set grid xtics ytics linewidth 1 linecolor rgb '#e6e6e6'\n");
            plane(panel, box);
        } else {
            add("set grid xtics noytics linewidth 1 linecolor rgb '#e6e6e6'\n");
            bars(panel, box);
        }
        add("unset label\nunset object\nunset arrow\nunset logscale\nunset grid\nunset tics\nunset "
            "xlabel\n"
            "unset ylabel\n");
    }

    void axis(const Axis& axis, const char* which) {
        if (axis.scale == Scale::logarithmic) add("set logscale {}\n", which);
        add("set {}range [{}:{}]\n", which, axis.low, axis.high);
        add("set {}label {} textcolor rgb '{}'\n", which, quoted(axis.title), ink);
        add("set {}tics nomirror out textcolor rgb '{}' (", which, ink);
        for (std::size_t i = 0; i < axis.ticks.size(); ++i)
            add("{}{} {} {}", i ? ", " : "", quoted(axis.ticks[i].label), axis.ticks[i].value,
                axis.ticks[i].label.empty() ? 1 : 0);
        add(")\n");
    }

    void plane(const Panel& panel, const Box& box) {
        for (const auto& d : panel.dots) dot(panel, box, d);
        for (const auto& mark : panel.marks)
            symbol(Symbol::circle, box.x(panel.x, mark.x), box.y(panel.y, mark.y), 30, "#ffffff",
                   ink);
        for (const auto& l : panel.labels) label(panel, box, l);
        for (std::size_t i = 0; i < panel.lines.size(); ++i) {
            add("$line{} << EOD\n", i);
            for (const auto& p : panel.lines[i].points) add("{} {}\n", p.x, p.y);
            add("EOD\n");
        }
        add("plot 1/0");
        for (std::size_t i = 0; i < panel.lines.size(); ++i)
            add(", $line{} with lines linewidth {} dashtype {} linecolor rgb {}", i,
                panel.lines[i].stroke == Stroke::strong ? 2 : 1,
                panel.lines[i].stroke == Stroke::dashed ? 2 : 1,
                colour_or_ink(panel.lines[i].colour));
        add("\n");
    }

    /// Translucent areas, so that dots behind stay visible; a hollow dot has an edge only.
    void dot(const Panel& panel, const Box& box, const Dot& dot) {
        const double x = box.x(panel.x, dot.at.x), y = box.y(panel.y, dot.at.y);
        const std::string transparency = dot.filled ? "70" : "ff";
        symbol(dot.symbol, x, y, dot.area, "#" + transparency + dot.colour.substr(1), dot.colour);
        if (dot.beyond_right)
            add("set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} head filled front "
                "linewidth 1.5 linecolor rgb {}\n",
                (x - 22) / plot_.width, y / plot_.height, (x + 14) / plot_.width, y / plot_.height,
                quoted(dot.colour));
    }

    void label(const Panel& panel, const Box& box, const Label& label) {
        double x = box.x(panel.x, label.at.x), y = box.y(panel.y, label.at.y), degrees = 0;
        const double lift = label.below ? -label_lift : label_lift;
        if (label.slant == Slant::level) {
            y += lift;
        } else if (label.slant == Slant::steep) {
            degrees = 50;
            x += 4;
            y += 9;
        } else {
            // A line of one decade per decade has this angle on this canvas.
            const double angle =
                std::atan2((box.top - box.bottom) / std::log10(panel.y.high / panel.y.low),
                           (box.right - box.left) / std::log10(panel.x.high / panel.x.low));
            degrees = angle * 180 / std::numbers::pi;
            x -= lift * std::sin(angle);
            y += lift * std::cos(angle);
        }
        const char* anchor = label.anchor == Anchor::start    ? "left"
                             : label.anchor == Anchor::middle ? "center"
                                                              : "right";
        add("set label {} {} {} rotate by {:.1f} front font ',{:.2f}' textcolor rgb {}\n",
            quoted(label.text), at(x, y), anchor, degrees, 11 * type_, colour_or_ink(label.colour));
    }

    void bars(const Panel& panel, const Box& box) {
        const auto count = static_cast<double>(panel.bars.size());
        add("set yrange [{}:-0.5]\nset ytics nomirror scale 0 textcolor rgb '{}' (", count - 0.5,
            ink);
        for (std::size_t i = 0; i < panel.bars.size(); ++i)
            add("{}{} {}", i ? ", " : "", quoted(shorten(panel.bars[i].name, longest_name)), i);
        add(")\n$bars << EOD\n");
        for (std::size_t i = 0; i < panel.bars.size(); ++i) bar(panel, i);
        add("EOD\n");
        for (std::size_t i = 0; i < panel.bars.size(); ++i) {
            double end = 0;
            for (const auto& segment : panel.bars[i].segments) end += segment.value;
            const double y =
                box.top - (box.top - box.bottom) * (static_cast<double>(i) + 0.5) / count;
            add("set label {} {} font ',{:.2f}' textcolor rgb '#555555'\n",
                quoted(panel.bars[i].total), at(box.x(panel.x, end) + 5, y), 10 * type_);
        }
        add("set style fill solid 1 noborder\n");
        // Columns: x y xlow xhigh ylow yhigh colour.
        add("plot 1/0, $bars using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable\n");
    }

    void bar(const Panel& panel, std::size_t i) {
        const auto y = static_cast<double>(i);
        double start = 0;
        for (const auto& segment : panel.bars[i].segments) {
            const double end = start + segment.value;
            add("{} {} {} {} {} {} 0x{}\n", start, y, start, end, y - 0.4, y + 0.4,
                panel.series.at(segment.series).colour.substr(1));
            start = end;
        }
    }

    static constexpr int longest_name = 34;
    const Plot& plot_;
    std::vector<Point> legend_;  ///< x and distance below the first line of the legend
    std::vector<Box> boxes_;
    double type_ = 1;  ///< terminal's unit of type for one CSS pixel
    std::string out_;
};

}  // namespace

std::string gnuplot_script(const Plot& plot, ImageFormat format) {
    return Script(plot, format).text();
}

}  // namespace ridge::report
