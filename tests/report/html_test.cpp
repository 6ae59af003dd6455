#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>

#include "core/files.hpp"
#include "report/html/markup.hpp"
#include "report/html/page.hpp"
#include "report/row_text.hpp"
#include "report/rows_table.hpp"
#include "report/run_comparison.hpp"
#include "report/summary.hpp"
#include "tests/report/fixture.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

ReportInput input_of(RunAnalysis run) {
    return {.analysis = std::move(run),
            .machine = example_machine(),
            .comparisons = {},
            .analysis_json = Json{{"name", hostile_name}, {"rows", 3}},
            .command = "ridge report 'my <net>.yaml'",
            .ridge_version = "0.1.0"};
}

const std::variant<ChartJs, std::string> no_charts = std::string("Chart.js was not found");

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("text from outside cannot become markup") {
        CHECK(escape("<b a=\"1\" b='2'>&") == "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;");
        CHECK(escape("a\x1b[1m\xff") == "a?[1m?");
        const std::string page = report_page(input_of(alexnet_like()), no_charts);
        CHECK(page.find("<b>&amp;") == std::string::npos);
        CHECK(page.find("<\"fast\"") == std::string::npos);
        CHECK(page.find("pool&#39;5") != std::string::npos);
    }

    TEST_CASE("embedded JSON cannot end its element and reads back to what it was") {
        const Json json{{"name", "</script><!-- \" \\ µ"}, {"bad", std::string("\xff")}};
        const std::string html = embed("x", json);
        CHECK(count(html, "</script") == 1);
        CHECK(count(html, "<!--") == 0);
        const std::size_t start = html.find('>') + 1;
        const Json back = Json::parse(html.substr(start, html.find("</script") - start));
        CHECK(back.at("name") == json.at("name"));
    }

    TEST_CASE("the page asks for nothing outside itself") {
        std::string page = report_page(input_of(resnet_like()), find_chart_js());
        for (const std::string what :
             {" src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest"})
            CHECK_MESSAGE(page.find(what) == std::string::npos, what);
        CHECK(page.find("Content-Security-Policy") != std::string::npos);
    }

    TEST_CASE("the page has every row, every section and the notice of Chart.js") {
        const auto run = resnet_like();
        const std::string page = report_page(input_of(run), find_chart_js());
        CHECK(count(page, "<tr id=\"row-") == run.rows.size());
        for (const std::string what :
             {"id=\"summary\"", "id=\"roofline\"", "id=\"layers\"", "id=\"rows\"", "id=\"machine\"",
              "id=\"environment\"", "id=\"definitions\"", "plot-roofline", "plot-layers",
              "Chart.js Contributors", "Permission is hereby granted", "multiply-add is 2 FLOP",
              "ridge report &#39;my &lt;net&gt;.yaml&#39;", "2 x 16 x 2 x clock",
              "Convolution takes"})
            CHECK_MESSAGE(page.find(what) != std::string::npos, what);
        CHECK(page.ends_with("</html>\n"));
    }

    TEST_CASE("G6: no NaN or infinity in the page, whatever the numbers") {
        auto run = alexnet_like();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        run.rows[0].attained = nan;
        run.rows[1].share_of_step = nan;
        run.rows[2].traffic_rate = BytesPerSecond(std::numeric_limits<double>::infinity());
        run.rows[3].row.time.time = Seconds(nan);
        std::string page = report_page(input_of(run), no_charts);
        page.resize(page.rfind("<script>"));  // the code itself speaks of NaN
        for (const std::string what :
             {">nan<", ">inf<", "\"nan\"", "\"inf\"", "NaN", "Infinity", "nan ms"})
            CHECK_MESSAGE(page.find(what) == std::string::npos, what);
    }

    TEST_CASE("without Chart.js the page has everything but the charts, and says so") {
        const std::string page = report_page(input_of(alexnet_like()), no_charts);
        CHECK(count(page, "No chart: Chart.js was not found") == 2);
        CHECK(count(page, "<tr id=\"row-") == 62);
        CHECK(page.find("sortable") != std::string::npos);
    }

    TEST_CASE("only Chart.js 3 and 4 are taken") {
        TemporaryFolder folder;
        const std::string path = folder.file("chart.min.js");
        setenv("RIDGE_CHART_JS", path.c_str(), 1);
        CHECK(std::get<std::string>(find_chart_js()).find("libjs-chart.js") != std::string::npos);
        write_file(path, "/*!\n * Chart.js v2.9.4\n */\nx");
        CHECK(std::holds_alternative<std::string>(find_chart_js()));
        write_file(path, "/*!\n * Chart.js v4.4.0\n * (c) X\n */\nx");
        CHECK(std::get<ChartJs>(find_chart_js()).notice == "Chart.js v4.4.0 (c) X");
        write_file(path, "/*! Chart.js v4.4.0 */ '</script>'");
        CHECK(std::holds_alternative<std::string>(find_chart_js()));
        unsetenv("RIDGE_CHART_JS");
    }

    TEST_CASE("the summary says what bounds the time, what could be saved and what to distrust") {
        auto run =
            example_run({example_row("c", Pass::forward, LayerKind::convolution, 0.03, 1.8e9, 6e7),
                         example_row("p", Pass::forward, LayerKind::pooling, 0.01, 0, 6e7)});
        run.rows[1].row.time.upper_bound = true;
        run.sum_over_step = 1.3;
        const Summary summary = summarise(run);
        REQUIRE(summary.bounds.size() == 2);
        CHECK(summary.bounds[0].what == "compute");
        CHECK(summary.bounds[0].share == doctest::Approx(0.75));
        CHECK(summary.bounds[1].what == "DRAM");
        // 30 ms against 1.8e9/90e9 = 20 ms; 10 ms against 6e7/15e9 = 4 ms.
        CHECK(summary.saved_at_roof.value() == doctest::Approx(0.016));
        CHECK(summary.savings.front()->row.key.layer == "c");
        CHECK(findings(run, summary)[0].find("75.0 %") != std::string::npos);
        const auto cautions = caveats(run, summary);
        REQUIRE(cautions.size() == 2);
        CHECK(cautions[0].find("1 of 2 rows (25.0 % of the time)") != std::string::npos);
        CHECK(cautions[1].find("1.300") != std::string::npos);
    }

    TEST_CASE("two resources that bind together are one group in either order") {
        auto row = example_row("c", Pass::forward, LayerKind::convolution, 0.03, 1.8e9, 6e7);
        row.bound = Bound::balanced;
        row.bound_level = "compute and DRAM";
        const std::string one = bound_text(row);
        row.bound_level = "DRAM and compute";
        CHECK(bound_text(row) == one);
        row.bound_level = "";
        CHECK(bound_text(row) == "balanced");
    }

    TEST_CASE("the table of rows has a cell for every column and exact values for programs") {
        const auto run = alexnet_like();
        const Table table = rows_table(run);
        CHECK(table.rows().size() == run.rows.size());
        const std::string csv = table.csv();
        const std::string header = csv.substr(0, csv.find("\r\n"));
        for (const std::string name : {"time_ms", "rate_gflop_per_s", "share_percent",
                                       "first_call_ms", "implementation", "verdict", "bytes_from"})
            CHECK_MESSAGE(header.find(name) != std::string::npos, name);
        for (const auto& row : table.rows()) CHECK(row.size() == table.columns().size());
    }
}

namespace {

Run run_of(std::vector<std::tuple<std::string, std::string, double>> rows, int threads,
           const std::string& library) {
    Run run;
    run.info.id = threads * 10 + (library == "onednn" ? 0 : 1);
    run.info.network = "n";
    run.info.threads = threads;
    run.info.library = library;
    run.info.complete = true;
    for (auto& [layer, part, time_s] : rows) {
        Measurement row;
        row.key = {layer, Pass::forward, part};
        row.time.time = Seconds(time_s);
        run.rows.push_back(row);
    }
    return run;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("libraries are compared over the rows that both have, reorders included") {
        const Run a =
            run_of({{"c1", "reorder src", 0.001}, {"c1", "", 0.003}, {"p1", "", 0.5}}, 1, "onednn");
        const Run b = run_of({{"c1", "", 0.010}}, 1, "openblas");
        const Table table = library_table(a, b);
        REQUIRE(table.rows().size() == 1);
        CHECK(table.rows()[0][2].text() == "4.000");
        CHECK(table.rows()[0][3].text() == "10.000");
        CHECK(table.rows()[0][4].text() == "2.50");
        CHECK(table.totals()[4].text() == "2.50");
    }

    TEST_CASE("thread scaling counts from the fewest threads") {
        const Run one = run_of({{"c1", "", 0.008}, {"c2", "", 0.004}}, 1, "onednn");
        Run four = run_of({{"c1", "", 0.002}, {"c2", "", 0.002}}, 4, "onednn");
        four.rows[1].time.upper_bound = true;
        const Table table = scaling_table({&four, &one});
        REQUIRE(table.rows().size() == 2);
        CHECK(table.columns()[2].header == "1 thread");
        CHECK(table.columns()[4].header == "speed-up at 4");
        CHECK(table.rows()[0][4].text() == "4.00");
        CHECK(table.rows()[0][5].text() == "100.0");
        CHECK(table.rows()[1][3].text() == "≤ 2.000");
        CHECK(table.rows()[1][5].text() == "50.0");
        CHECK(table.totals()[4].text() == "3.00");
    }

    TEST_CASE("only runs that differ in one thing are put side by side") {
        const RunInfo base = run_of({}, 1, "onednn").info;
        RunInfo blas = run_of({}, 1, "openblas").info, two = run_of({}, 2, "onednn").info;
        RunInfo other_batch = two;
        other_batch.batch = 4;
        RunInfo incomplete = two;
        incomplete.complete = false;
        CHECK(other_library(base, {base, two, blas})->library == "openblas");
        CHECK_FALSE(other_library(base, {base, two}));
        CHECK(other_thread_counts(base, {base, other_batch, incomplete, blas}).empty());
        CHECK(other_thread_counts(base, {base, two, two, blas}).size() == 1);
    }
}
