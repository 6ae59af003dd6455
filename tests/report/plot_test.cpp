// The content of plots, independent of who draws them.
#include "report/plot.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/plots/axes.hpp"
#include "report/plots/labels.hpp"
#include "report/writers/plot_json.hpp"
#include "tests/report/fixture.hpp"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

const Line* line_named(const Panel& panel, const std::string& name) {
    for (const auto& line : panel.lines)
        if (line.name == name) return &line;
    return nullptr;
}

std::size_t labels_with(const Panel& panel, const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(panel.labels.begin(), panel.labels.end(),
                      [&](const Label& l) { return l.text.find(text) != std::string::npos; }));
}

const Dot* dot_of_row(const Plot& plot, int row) {
    for (const auto& panel : plot.panels)
        for (const auto& dot : panel.dots)
            if (dot.row == row) return &dot;
    return nullptr;
}

bool inside(const Axis& axis, double value) {
    return axis.low <= value * (1 + 1e-9) && value <= axis.high * (1 + 1e-9);
}

/// Everything that a writer would put on a canvas is finite and on it.
void check_drawable(const Plot& plot) {
    for (const auto& panel : plot.panels) {
        for (const auto* axis : {&panel.x, &panel.y}) {
            CHECK(std::isfinite(axis->low));
            CHECK(axis->low < axis->high);
            if (axis->scale == Scale::logarithmic) CHECK(axis->low > 0);
            CHECK(axis->ticks.size() < 100);
        }
        for (const auto& line : panel.lines)
            for (const auto& point : line.points) {
                CHECK(inside(panel.x, point.x));
                CHECK(inside(panel.y, point.y));
            }
        for (const auto& dot : panel.dots) {
            CHECK(inside(panel.x, dot.at.x));
            CHECK(inside(panel.y, dot.at.y));
            CHECK(std::isfinite(dot.area));
            CHECK(dot.area > 0);
        }
        for (const auto& bar : panel.bars)
            for (const auto& segment : bar.segments) {
                CHECK(std::isfinite(segment.value));
                CHECK(segment.series < panel.series.size());
            }
    }
    // Numbers that are not finite would be null.
    CHECK(plot_json(plot).at("panels").dump().find("null") == std::string::npos);
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("every row is drawn, in the plane or in the bandwidth panel") {
        for (const RunAnalysis& run : {alexnet_like(), resnet_like()}) {
            const Plot plot = roofline_plot(run);
            REQUIRE(plot.panels.size() == 2);
            std::size_t with_flops = 0;
            for (std::size_t i = 0; i < run.rows.size(); ++i) {
                with_flops += run.rows[i].useful_flops.value() > 0;
                CHECK(dot_of_row(plot, static_cast<int>(i)) != nullptr);
            }
            CHECK(plot.panels[0].dots.size() == with_flops);
            CHECK(plot.panels[1].dots.size() == run.rows.size() - with_flops);
            check_drawable(plot);
        }
    }

    TEST_CASE(
        "dots lie at intensity and rate, with area by share, colour by kind, symbol by pass") {
        auto conv =
            example_row("c", Pass::backward_weights, LayerKind::convolution, 0.03, 1.8e9, 6e7);
        auto pool = example_row("p", Pass::forward, LayerKind::pooling, 0.01, 2e7, 4e7);
        const Plot plot = roofline_plot(example_run({conv, pool}));
        const Dot *a = dot_of_row(plot, 0), *b = dot_of_row(plot, 1);
        REQUIRE(a);
        REQUIRE(b);
        CHECK(a->at.x == doctest::Approx(30));
        CHECK(a->at.y == doctest::Approx(60e9));
        CHECK(a->area / b->area == doctest::Approx(3));
        CHECK(a->symbol == Symbol::triangle_up);
        CHECK(b->symbol == Symbol::circle);
        CHECK(a->colour != b->colour);
        CHECK(a->hover.front() == "c · backward_weights");
    }

    TEST_CASE("every ceiling is labelled at its line and every ridge point is marked") {
        const Plot plot = roofline_plot(alexnet_like());
        const Panel& panel = plot.panels[0];
        for (const std::string text :
             {"AVX-512 FMA", "AVX2 45", "SSE", "scalar", "L1 300 GB/s", "DRAM 15", "ridge"})
            CHECK_MESSAGE(labels_with(panel, text) > 0, text);
        CHECK(panel.marks.size() == 4);
        CHECK(std::any_of(panel.marks.begin(), panel.marks.end(), [](const Point& p) {
            return p.x == doctest::Approx(6) && p.y == doctest::Approx(90e9);
        }));
        // Ceilings within 3 % share one line and one label.
        CHECK(labels_with(panel, "AVX-512 FMA, AVX2 FMA") == 1);
    }

    TEST_CASE("F1: bandwidth lines end at the highest roof there is, and axes hold all roofs") {
        auto run = alexnet_like();
        for (std::size_t keep : {std::size_t{5}, std::size_t{1}}) {  // one: only a vector peak
            run.roofline.compute.resize(keep);
            const Plot plot = roofline_plot(run);
            const Line* dram = line_named(plot.panels[0], "DRAM");
            REQUIRE(dram);
            CHECK(dram->points.back().y == doctest::Approx(90e9));
            CHECK(dram->points.back().x == doctest::Approx(6));
            check_drawable(plot);
        }
        run.roofline.compute = {{"scalar", Isa::scalar, false, FlopsPerSecond(5e9), Source::given}};
        const Plot low = roofline_plot(run);
        CHECK(line_named(low.panels[0], "DRAM")->points.back().y == doctest::Approx(5e9));
        CHECK(low.panels[0].y.high > 60e9);  // dots above the roof stay visible
    }

    TEST_CASE("F1: a data type without any compute ceiling still has its bandwidth lines") {
        auto run = alexnet_like();
        run.roofline.compute.clear();
        for (auto& roof : run.roofline.bandwidth) roof.ridge.reset();
        const Plot plot = roofline_plot(run);
        CHECK(line_named(plot.panels[0], "DRAM"));
        CHECK(std::any_of(plot.notes.begin(), plot.notes.end(), [](const std::string& note) {
            return note.find("no compute ceiling") != std::string::npos;
        }));
        check_drawable(plot);
    }

    TEST_CASE("F1: a machine file without bandwidths or rows still gives axes") {
        auto run = alexnet_like();
        run.roofline.bandwidth.clear();
        check_drawable(roofline_plot(run));
        check_drawable(roofline_plot(example_run({})));
        check_drawable(layers_plot(example_run({})));
    }

    TEST_CASE("F2: all times 0 give dots of the default size, not NaN") {
        std::vector<RowAnalysis> rows;
        for (int i = 0; i < 3; ++i)
            rows.push_back(example_row("l" + std::to_string(i), Pass::forward,
                                       LayerKind::convolution, 0.001, 1e8, 1e6));
        auto run = example_run(rows);
        for (auto& row : run.rows) {
            row.row.time.time = Seconds(0);
            row.share_of_step = 0;
        }
        run.sum = Seconds(0);
        const Plot plot = roofline_plot(run);
        REQUIRE(plot.panels[0].dots.size() == 3);
        for (const auto& dot : plot.panels[0].dots) {
            CHECK(std::isfinite(dot.area));
            CHECK(dot.area == plot.panels[0].dots[0].area);
        }
        check_drawable(plot);
        check_drawable(layers_plot(run));
    }

    TEST_CASE("F2: a row without a time is named, not drawn at infinity") {
        auto run =
            example_run({example_row("idle", Pass::forward, LayerKind::convolution, 0, 1e8, 1e6),
                         example_row("busy", Pass::forward, LayerKind::convolution, 1, 1e8, 1e6)});
        const Plot plot = roofline_plot(run);
        CHECK(plot.panels[0].dots.size() == 1);
        CHECK(std::any_of(plot.notes.begin(), plot.notes.end(), [](const std::string& note) {
            return note.find("idle") != std::string::npos;
        }));
        check_drawable(plot);
    }

    TEST_CASE("F3: FLOPs without bytes stand at the right border with an arrow") {
        auto run =
            example_run({example_row("a", Pass::forward, LayerKind::convolution, 0.01, 5e8, 0),
                         example_row("b", Pass::forward, LayerKind::convolution, 0.01, 5e8, 1e7)});
        const Plot plot = roofline_plot(run);
        const Dot* dot = dot_of_row(plot, 0);
        REQUIRE(dot);
        CHECK(dot->beyond_right);
        CHECK(dot->at.x == plot.panels[0].x.high);
        CHECK_FALSE(dot_of_row(plot, 1)->beyond_right);
        CHECK(std::any_of(dot->hover.begin(), dot->hover.end(), [](const std::string& line) {
            return line.find("not defined") != std::string::npos;
        }));
        check_drawable(plot);
    }

    TEST_CASE("F5: a reorder is a dot against the bandwidth ceilings, in the colour of reorders") {
        auto row = example_row("c", Pass::forward, LayerKind::convolution, 0.001, 0, 12e6);
        row.row.key.part = "reorder src";
        const Plot plot = roofline_plot(example_run({row}));
        REQUIRE(plot.panels.size() == 2);
        REQUIRE(plot.panels[1].dots.size() == 1);
        CHECK(plot.panels[1].dots[0].at.y == doctest::Approx(12e9));
        CHECK(plot.legend.front().text == "reorder");
        const auto& hover = plot.panels[1].dots[0].hover;
        CHECK(std::any_of(hover.begin(), hover.end(), [](const std::string& line) {
            return line.find("80.0 % of DRAM") != std::string::npos;
        }));
    }

    TEST_CASE("simulated rows have a dot for each level that bytes cross, joined by a line") {
        auto conv = example_row("c", Pass::forward, LayerKind::convolution, 0.03, 1.8e9, 6e7);
        conv.simulated = {
            {"L2", Bytes(1.8e9), true}, {"L3", Bytes(9e7), true}, {"DRAM", Bytes(0), true}};
        auto pool = example_row("p", Pass::forward, LayerKind::pooling, 0.01, 2e7, 4e7);
        const Plot plot = roofline_plot(example_run({conv, pool}));
        const Panel& panel = plot.panels[0];
        REQUIRE(panel.dots.size() == 3);
        std::map<double, const Dot*> of_conv;
        for (const Dot& dot : panel.dots)
            if (dot.row == 0) of_conv[dot.at.x] = &dot;
        REQUIRE(of_conv.size() == 2);
        CHECK(of_conv.begin()->first == doctest::Approx(1));
        CHECK(of_conv.rbegin()->first == doctest::Approx(20));
        for (const auto& [x, dot] : of_conv) {
            CHECK(dot->at.y == doctest::Approx(60e9));
            CHECK(dot->hover[1] == "L2: 1.80 GB (simulated, traced kernel), 1.00 FLOP/B");
            CHECK(dot->hover[3] == "DRAM: nothing crosses it (simulated)");
        }
        const Line* roof = line_named(panel, "L2");
        REQUIRE(roof);
        CHECK(of_conv.begin()->second->colour == roof->colour);
        const Line* joined = line_named(panel, "c · forward");
        REQUIRE(joined);
        CHECK(joined->points.size() == 2);
        const auto labelled = [&](const std::string& level, double x) {
            return std::any_of(panel.labels.begin(), panel.labels.end(), [&](const Label& label) {
                return label.text == level && label.at.x == doctest::Approx(x);
            });
        };
        CHECK(labelled("L2", 1));
        CHECK(labelled("L3", 20));
        CHECK(plot.legend.front().text == "L2 (simulated bytes)");
        CHECK(std::none_of(plot.legend.begin(), plot.legend.end(), [](const LegendEntry& entry) {
            return entry.text == "convolution" || entry.text.starts_with("L1");
        }));
        check_drawable(plot);
    }

    TEST_CASE("bandwidth ceilings are solid up to their capacity") {
        const Plot plot = roofline_plot(resnet_like());
        const Line* l3 = line_named(plot.panels[1], "L3");
        REQUIRE(l3);
        CHECK(l3->stroke == Stroke::strong);
        CHECK(l3->points.back().x == doctest::Approx(32 << 20));
        CHECK(line_named(plot.panels[1], "L3 beyond its capacity")->stroke == Stroke::dashed);
        CHECK(line_named(plot.panels[1], "DRAM")->points.back().x == plot.panels[1].x.high);
    }

    TEST_CASE("an upper bound is drawn hollow and explained") {
        const auto run = alexnet_like();
        const Plot plot = roofline_plot(run);
        for (std::size_t i = 0; i < run.rows.size(); ++i)
            CHECK(dot_of_row(plot, static_cast<int>(i))->filled ==
                  !run.rows[i].row.time.upper_bound);
        CHECK(std::any_of(plot.legend.begin(), plot.legend.end(),
                          [](const LegendEntry& e) { return !e.filled; }));
    }

    TEST_CASE("layers come in network order and their segments add up to the run") {
        const auto run = alexnet_like();
        const Plot plot = layers_plot(run);
        const Panel& panel = plot.panels.at(0);
        CHECK(panel.bars.front().name == "conv1");
        CHECK(panel.bars.back().name == "loss");
        double sum_ms = 0;
        for (const auto& bar : panel.bars)
            for (const auto& segment : bar.segments) sum_ms += segment.value;
        CHECK(sum_ms == doctest::Approx(run.sum.value() * 1e3));
        check_drawable(plot);

        const auto conv2 = std::find_if(panel.bars.begin(), panel.bars.end(),
                                        [](const Bar& bar) { return bar.name == "conv2"; });
        REQUIRE(conv2 != panel.bars.end());
        std::map<std::string, double> by_pass;
        for (const auto& segment : conv2->segments)
            by_pass[panel.series[segment.series].name] += segment.value;
        CHECK(by_pass.size() == 5);
        CHECK(by_pass["reorder"] == doctest::Approx(0.4));
    }

    TEST_CASE("a network of hundreds of layers gets room for every name") {
        const Plot plot = layers_plot(resnet_like());
        CHECK(plot.height / static_cast<double>(plot.panels[0].bars.size()) >= 14);
    }

    TEST_CASE("labels of close lines do not stand on each other") {
        // Far apart: above. Close to the one above: below. No room below either: further along.
        const auto places = place_labels({{200, 80}, {195, 60}, {100, 80}, {92, 80}, {84, 80}});
        CHECK_FALSE(places[0].below);
        CHECK(places[1].below);
        CHECK(places[1].shift == 0);
        CHECK_FALSE(places[2].below);
        CHECK(places[2].shift == 0);
        CHECK(places[3].shift >= 80);
        CHECK(places[4].below);

        auto run = alexnet_like();
        run.roofline.compute[2].rate = FlopsPerSecond(85e9);  // 6 % below the first
        run.roofline.bandwidth[1].rate = BytesPerSecond(70e9);
        run.roofline.bandwidth[1].ridge = FlopsPerByte(90.0 / 70);  // beside that of L3, 1.5
        const Plot plot = roofline_plot(run);
        double l2 = 0, l3 = 0;
        for (const auto& label : plot.panels[0].labels) {
            CHECK(label.below ==
                  (label.text.starts_with("AVX2 85") || label.text == "L3 60.0 GB/s"));
            if (label.text.starts_with("L2 ridge")) l2 = label.at.x;
            if (label.text.starts_with("L3 ridge")) l3 = label.at.x;
        }
        CHECK(l3 / l2 > 1.5 / (90.0 / 70) * 1.01);
    }

    TEST_CASE("ticks are labelled with SI prefixes") {
        CHECK(tick_label(1e9) == "1 G");
        CHECK(tick_label(0.1) == "0.1");
        CHECK(tick_label(100) == "100");
        CHECK(tick_label(1000) == "1 k");
        CHECK(tick_label(2e-6) == "2 µ");
        CHECK(tick_label(0) == "0");
        const Axis axis = linear_axis("t", 93);
        CHECK(axis.high == 100);
        CHECK(axis.ticks.size() == 6);
    }
}
