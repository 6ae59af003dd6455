#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "collectors/import/byte_stream.hpp"
#include "collectors/import/verbose_log.hpp"
#include "collectors/import/verbose_run.hpp"
#include "report/html/page.hpp"
#include "tests/browser/chromium.hpp"
#include "tests/report/fixture.hpp"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

std::string page_of(RunAnalysis run) {
    return report_page({.analysis = std::move(run),
                        .machine = example_machine(),
                        .comparisons = {},
                        .analysis_json = Json{{"name", hostile_name}},
                        .command = "ridge report example",
                        .ridge_version = "0.1.0"},
                       find_chart_js());
}

/// Prints why and returns true where there is nothing to test with.
bool skipped() {
    if (!find_chromium())
        std::puts("RIDGE-SKIP-ALL: chromium is not installed");
    else if (std::holds_alternative<std::string>(find_chart_js()))
        std::puts("RIDGE-SKIP-ALL: Chart.js is not installed");
    else
        return false;
    return true;
}

/// A training log of a library that Ridgepoint did not run: two convolutions, a pooling by
/// reference code and a reorder, four times.
RunAnalysis imported_log() {
    const std::string tensors =
        "src_f32::blocked:aBcd8b:f0 wei_f32::blocked:ABcd8b8a:f0 bia_undef::undef::f0 "
        "dst_f32::blocked:aBcd8b:f0,,";
    const auto line = [&](const std::string& kind, const std::string& kernel,
                          const std::string& pass, const std::string& problem, double ms) {
        return fmt::format("onednn_verbose,exec,cpu,{},{},{},{}{},{},{:g}\n", kind, kernel, pass,
                           tensors, kind == "pooling" ? "alg:pooling_max" : "", problem, ms);
    };
    const std::string wide = "mb8_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1";
    const std::string narrow = "mb8_ic3oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1";
    std::string text;
    for (int i = 0; i < 4; ++i) {
        text += line("convolution", "jit:avx2", "forward_training", narrow, 1.5);
        text += line("convolution", "jit:avx2", "forward_training", wide, 25.5);
        text += line("pooling", "ref:any", "forward_training",
                     "mb8ic64_ih56oh28kh2sh2dh0ph0_iw56ow28kw2sw2dw0pw0", 90.25);
        text += line("reorder", "jit:uni", "undef", "8x64x56x56", 3.5);
        text += line("convolution", "jit:avx2", "backward_data", wide, 50.5);
        text += line("convolution", "jit:avx2", "backward_weights", wide, 60.5);
    }
    const auto bytes = import::bytes_in_memory({text.data(), text.size()}, "train.log");
    import::VerboseRunOptions options;
    options.name = "train.log";
    options.machine = example_machine().name;
    options.threads = 1;
    const auto imported = import::make_run(import::read_verbose_log(*bytes), options, "train.log");
    Run run;
    run.info = imported.info;
    for (const auto& row : imported.rows) run.rows.push_back(row.row);
    return analyse(run, example_machine());
}

// Shared by the questions below. Rows that are to be seen, in their order.
const std::string helpers = R"(
const table = document.getElementById('rows-table');
const names = [...table.tHead.rows[0].cells].map(c => c.textContent);
const shown = () => [...table.tBodies[0].rows].filter(r => r.offsetHeight > 0);
const column = name => shown().map(r => r.cells[names.indexOf(name)]);
const values = name => column(name).map(c => Number(c.dataset.v));
const texts = name => column(name).map(c => c.textContent);
const choose = (label, value) => {
  const box = [...document.querySelectorAll('#rows-controls label')].find(
    l => l.textContent.startsWith(label)).querySelector('input, select');
  box.value = value;
  box.dispatchEvent(new Event(box.tagName === 'SELECT' ? 'change' : 'input'));
};
)";

}  // namespace

TEST_SUITE("browser") {
    TEST_CASE("the report loads without an error and every chart has drawn") {
        if (skipped()) return;
        for (const auto& run : {alexnet_like(), resnet_like()}) {
            const Json seen = ask_page(page_of(run), R"(
const inks = canvas => {
  const {width, height} = canvas;
  const pixels = new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
  return new Set(pixels).size;
};
const charts = ridgePlots.charts.map(entry => entry.chart);
return {
  charts: charts.length,
  dots: charts.filter(c => c.config.type === 'scatter').map(
    c => c.data.datasets.find(d => d.label === 'rows').data.length),
  colours: [...document.querySelectorAll('canvas')].map(inks),
  resources: performance.getEntriesByType('resource').length,
  embedded: JSON.parse(document.getElementById('run').textContent).name,
};)");
            CHECK(seen.at("errors") == Json::array());
            CHECK(seen.at("charts") == 3);
            CHECK(seen.at("dots")[0].get<std::size_t>() + seen.at("dots")[1].get<std::size_t>() ==
                  run.rows.size());
            REQUIRE(seen.at("colours").size() == 3);
            for (const auto& colours : seen.at("colours")) CHECK(colours > 20);
            CHECK(seen.at("resources") == 0);
            CHECK(seen.at("embedded") == hostile_name);
        }
    }

    TEST_CASE("a heading sorts its column, numbers by value, missing values last") {
        if (skipped()) return;
        const auto run = alexnet_like();
        const Json seen = ask_page(page_of(run), helpers + R"(
const heading = name => table.tHead.rows[0].cells[names.indexOf(name)];
const answers = {};
heading('Time').click();
answers.largestFirst = values('Time');
heading('Time').click();
answers.smallestFirst = values('Time');
heading('Layer').click();
answers.layers = texts('Layer');
heading('Rate').click();
answers.rates = texts('Rate');
answers.sorted = heading('Rate').getAttribute('aria-sort');
return answers;)");
        CHECK(seen.at("errors") == Json::array());
        const auto down = seen.at("largestFirst").get<std::vector<double>>();
        REQUIRE(down.size() == run.rows.size());
        CHECK(std::is_sorted(down.rbegin(), down.rend()));
        const auto up = seen.at("smallestFirst").get<std::vector<double>>();
        CHECK(std::is_sorted(up.begin(), up.end()));
        CHECK(up.back() == doctest::Approx(71.237).epsilon(1e-3));
        CHECK(seen.at("layers").front() == "conv1");
        CHECK(seen.at("rates").back() == "–");
        CHECK(seen.at("rates").front() != "–");
        CHECK(seen.at("sorted") == "descending");
    }

    TEST_CASE("filters narrow the table and its sums") {
        if (skipped()) return;
        const auto run = alexnet_like();
        const Json seen = ask_page(page_of(run), helpers + R"(
const answers = {};
choose('Search', 'CONV2');
answers.conv2 = texts('Layer');
answers.time = document.getElementById('rows-status').textContent;
choose('Pass', 'backward_data');
answers.one = texts('Pass');
answers.hash = location.hash;
choose('Search', '');
choose('Pass', '');
choose('Kind', 'reorder');
answers.reorders = texts('Part');
choose('Kind', '');
choose('Search', '<' + '/script>');
answers.hostile = texts('Layer');
choose('Search', 'no such layer');
answers.none = shown().length;
return answers;)");
        CHECK(seen.at("errors") == Json::array());
        CHECK(seen.at("conv2") == Json::array({"conv2", "conv2", "conv2", "conv2", "conv2"}));
        CHECK(seen.at("time").get<std::string>().starts_with("5 of 62 rows, Time 189.8 ms"));
        CHECK(seen.at("one") == Json::array({"backward_data"}));
        CHECK(seen.at("hash") == "#rows?text=CONV2&Pass=backward_data");
        CHECK(seen.at("reorders") == Json::array({"reorder src"}));
        CHECK(seen.at("hostile") == Json::array({hostile_name, hostile_name}));
        CHECK(seen.at("none") == 0);
    }

    TEST_CASE("an address with a view opens that view") {
        if (skipped()) return;
        const auto run = alexnet_like();
        const Json seen = ask_page(page_of(run), helpers + R"(
return {layers: texts('Layer'), times: values('Time')};)",
                                   "#rows?Bound=compute&sort=4&down=1");
        CHECK(seen.at("errors") == Json::array());
        CHECK(seen.at("layers").front() == "conv2");
        const auto times = seen.at("times").get<std::vector<double>>();
        CHECK(static_cast<std::ptrdiff_t>(times.size()) ==
              std::count_if(run.rows.begin(), run.rows.end(),
                            [](const RowAnalysis& row) { return row.bound == Bound::compute; }));
        CHECK(std::is_sorted(times.rbegin(), times.rend()));
    }

    TEST_CASE("a dot tells its row, and a click on it finds the row in the table") {
        if (skipped()) return;
        const Json seen = ask_page(page_of(alexnet_like()), helpers + R"(
const chart = ridgePlots.charts[0].chart;
const set = chart.data.datasets.findIndex(d => d.label === 'rows');
const point = chart.getDatasetMeta(set).data[0];
chart.tooltip.setActiveElements([{datasetIndex: set, index: 0}], {x: point.x, y: point.y});
chart.update();
const box = document.getElementById('hover');
const answers = {hover: [...box.children].map(line => line.textContent), open: !box.hidden};
choose('Search', 'relu');
document.dispatchEvent(new CustomEvent('ridge-row', {detail: 55}));
answers.found = table.querySelector('tr.found').cells[0].textContent;
return answers;)");
        CHECK(seen.at("errors") == Json::array());
        CHECK(seen.at("open") == true);
        CHECK(seen.at("hover").front() == "conv2 · backward_weights");
        CHECK(seen.at("hover").dump().find("implementation jit:avx512_core") != std::string::npos);
        CHECK(seen.at("found") == "conv2");
    }

    TEST_CASE("the report of an imported log sorts, filters and tells details on hover") {
        if (skipped()) return;
        const Json seen = ask_page(page_of(imported_log()), helpers + R"(
const heading = name => table.tHead.rows[0].cells[names.indexOf(name)];
const answers = {};
heading('Time').click();
answers.layers = texts('Layer');
answers.times = values('Time');
choose('Search', 'conv2');
answers.conv2 = texts('Pass').sort();
choose('Search', '');
choose('Kind', 'reorder');
answers.reorders = texts('Layer');
choose('Kind', '');
const chart = ridgePlots.charts[0].chart;
const set = chart.data.datasets.findIndex(d => d.label === 'rows');
const point = chart.getDatasetMeta(set).data[0];
chart.tooltip.setActiveElements([{datasetIndex: set, index: 0}], {x: point.x, y: point.y});
chart.update();
answers.hover = [...document.getElementById('hover').children].map(line => line.textContent);
return answers;)");
        CHECK(seen.at("errors") == Json::array());
        CHECK(seen.at("layers").front() == "pool1");
        const auto times = seen.at("times").get<std::vector<double>>();
        REQUIRE(times.size() == 6);
        CHECK(std::is_sorted(times.rbegin(), times.rend()));
        CHECK(times.front() == 90.25);
        CHECK(seen.at("conv2").dump().find("backward_weights") != std::string::npos);
        CHECK(seen.at("reorders").size() == 1);
        CHECK(seen.at("hover").dump().find("implementation jit:avx2") != std::string::npos);
    }

    TEST_CASE("the page fits its window; only tables scroll") {
        if (skipped()) return;
        for (const int width : {500, 1000, 1800}) {
            const Json seen = ask_page(page_of(resnet_like()), R"(
const root = document.documentElement;
return {over: root.scrollWidth - root.clientWidth,
        canvases: [...document.querySelectorAll('canvas')].map(
          c => c.clientWidth > 200 && c.clientWidth <= root.clientWidth)};)",
                                       "", width);
            CHECK(seen.at("errors") == Json::array());
            CHECK(seen.at("over") <= 0);
            CHECK(seen.at("canvases") == Json::array({true, true, true}));
        }
    }

    TEST_CASE("without scripts for charts the tables still work") {
        if (!find_chromium()) {
            std::puts("RIDGE-SKIP-ALL: chromium is not installed");
            return;
        }
        const std::string page = report_page({.analysis = alexnet_like(),
                                              .machine = example_machine(),
                                              .comparisons = {},
                                              .analysis_json = Json(),
                                              .command = "",
                                              .ridge_version = ""},
                                             std::string("Chart.js was not found"));
        const Json seen = ask_page(page, helpers + R"(
choose('Search', 'conv2');
return {rows: shown().length, notes: document.querySelectorAll('.missing').length};)");
        CHECK(seen.at("errors") == Json::array());
        CHECK(seen.at("rows") == 5);
        CHECK(seen.at("notes") == 2);
    }
}
