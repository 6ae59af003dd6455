#include "report/writers/plot_json.hpp"

namespace ridge::report {
namespace {

Json json_of(const Point& point) {
    return Json::array({json_number(point.x), json_number(point.y)});
}

Json json_of(const Axis& axis) {
    Json ticks = Json::array();
    for (const auto& tick : axis.ticks)
        ticks.push_back({{"value", json_number(tick.value)}, {"label", tick.label}});
    return {{"title", axis.title},
            {"logarithmic", axis.scale == Scale::logarithmic},
            {"low", json_number(axis.low)},
            {"high", json_number(axis.high)},
            {"ticks", std::move(ticks)}};
}

const char* word(Anchor anchor) {
    switch (anchor) {
        case Anchor::start:
            return "start";
        case Anchor::middle:
            return "middle";
        case Anchor::end:
            return "end";
    }
    return "start";
}
const char* word(Slant slant) {
    switch (slant) {
        case Slant::level:
            return "level";
        case Slant::along_bandwidth:
            return "along_bandwidth";
        case Slant::steep:
            return "steep";
    }
    return "level";
}
const char* word(Stroke stroke) {
    switch (stroke) {
        case Stroke::strong:
            return "strong";
        case Stroke::thin:
            return "thin";
        case Stroke::dashed:
            return "dashed";
    }
    return "strong";
}
const char* word(Symbol symbol) {
    switch (symbol) {
        case Symbol::circle:
            return "circle";
        case Symbol::square:
            return "square";
        case Symbol::triangle_up:
            return "triangle_up";
        case Symbol::triangle_down:
            return "triangle_down";
        case Symbol::diamond:
            return "diamond";
    }
    return "circle";
}

Json json_of(const Label& label) {
    return {{"text", label.text},         {"at", json_of(label.at)}, {"anchor", word(label.anchor)},
            {"slant", word(label.slant)}, {"colour", label.colour},  {"below", label.below}};
}

Json json_of(const Line& line) {
    Json points = Json::array();
    for (const auto& point : line.points) points.push_back(json_of(point));
    return {{"name", line.name},
            {"points", std::move(points)},
            {"stroke", word(line.stroke)},
            {"colour", line.colour}};
}

Json json_of(const Dot& dot) {
    return {{"at", json_of(dot.at)}, {"area_px2", json_number(dot.area)},
            {"colour", dot.colour},  {"symbol", word(dot.symbol)},
            {"filled", dot.filled},  {"beyond_right", dot.beyond_right},
            {"row", dot.row},        {"hover", dot.hover}};
}

Json json_of(const Bar& bar) {
    Json segments = Json::array();
    for (const auto& segment : bar.segments)
        segments.push_back({{"series", segment.series},
                            {"value", json_number(segment.value)},
                            {"hover", segment.hover}});
    return {{"name", bar.name}, {"total", bar.total}, {"segments", std::move(segments)}};
}

Json json_of(const Panel& panel);
Json json_of(const LegendEntry& entry);

template <class T>
Json list(const std::vector<T>& items) {
    Json result = Json::array();
    for (const auto& item : items) result.push_back(json_of(item));
    return result;
}

Json json_of(const Panel& panel) {
    Json series = Json::array();
    for (const auto& s : panel.series) series.push_back({{"name", s.name}, {"colour", s.colour}});
    return {{"title", panel.title},        {"x", json_of(panel.x)},
            {"y", json_of(panel.y)},       {"width_share", json_number(panel.width_share)},
            {"lines", list(panel.lines)},  {"labels", list(panel.labels)},
            {"marks", list(panel.marks)},  {"dots", list(panel.dots)},
            {"series", std::move(series)}, {"bars", list(panel.bars)}};
}

Json json_of(const LegendEntry& entry) {
    return {{"text", entry.text},
            {"colour", entry.colour},
            {"symbol", entry.symbol ? Json(word(*entry.symbol)) : Json(nullptr)},
            {"filled", entry.filled}};
}

}  // namespace

Json plot_json(const Plot& plot) {
    return {{"name", plot.name},           {"title", plot.title},
            {"subtitle", plot.subtitle},   {"height_px", json_number(plot.height)},
            {"panels", list(plot.panels)}, {"legend", list(plot.legend)},
            {"notes", plot.notes}};
}

}  // namespace ridge::report
