// Which run and which rows a question is about.

#include "model/explain/selection.hpp"

#include <doctest/doctest.h>

#include "ridge/error.hpp"
#include "tests/roofline/synthetic.hpp"

using namespace ridge;

namespace {

RunInfo stored(std::int64_t id, const char* network, bool complete = true) {
    RunInfo info;
    info.id = id;
    info.network = network;
    info.complete = complete;
    return info;
}

const std::vector<RunInfo> runs{stored(7, "alexnet", false), stored(6, "resnet50"),
                                stored(5, "alexnet"), stored(4, "conv:mb1ic3ih8oc8oh6kh3"),
                                stored(3, "vgg16", false)};

bool has_layer(const RunInfo& run, const std::string& layer) {
    return layer == "conv1" && (run.network == "alexnet" || run.network == "resnet50");
}

Answer find(const char* target, std::optional<std::int64_t> run = {}) {
    return find_run({target, run}, runs, has_layer);
}

std::string error_of(const char* target, std::optional<std::int64_t> run = {}) {
    try {
        (void)find(target, run);
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_input);
        return error.what();
    }
    return "no error";
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("the newest complete run, or the newest interrupted one when there is no other") {
        CHECK(find("").run == 6);
        CHECK(find("alexnet").run == 5);
        CHECK(find("vgg16").run == 3);
        CHECK(find("alexnet").layer.empty());
    }
    TEST_CASE("a number is a run, a line is a run of that line however it is written") {
        CHECK(find("7").run == 7);
        CHECK(find("conv:mb1ic3ih8oc8oh6kh3").run == 4);
        CHECK(find("conv:mb1_ic3ih8iw8oc8oh6ow6kh3kw3").run == 4);
    }
    TEST_CASE("a layer is looked for in the newest run that has it, or in the run that was named") {
        CHECK(find("conv1").run == 6);
        CHECK(find("conv1").layer == "conv1");
        CHECK(find("conv1", 5).run == 5);
        CHECK(find("conv1", 5).layer == "conv1");
        CHECK(find("alexnet", 5).layer.empty());
        CHECK(find("", 3).run == 3);
    }
    TEST_CASE("what is not there says how to get it") {
        CHECK(has(error_of("googlenet"), "ridge collect googlenet"));
        CHECK(has(error_of("googlenet"), "resnet50"));
        CHECK(has(error_of("99"), "run 99"));
        CHECK(has(error_of("", 99), "ridge runs list"));
        CHECK(has(error_of("conv9", 5), "a layer of alexnet"));
        try {
            (void)find_run({}, {}, has_layer);
            CHECK(false);
        } catch (const Error& error) {
            CHECK(has(error.what(), "ridge collect"));
        }
    }

    TEST_CASE("rows: of one layer, in the order asked for, the first of them") {
        RunAnalysis analysis;
        const auto add = [&](const char* layer, double time_s, double saved_s) {
            RowAnalysis row;
            row.row = test::row(time_s);
            row.row.key.layer = layer;
            row.saved_at_roof = Seconds(saved_s);
            analysis.rows.push_back(row);
        };
        add("a", 1, 0.9);
        add("b", 3, 0.1);
        add("a", 2, 0.5);
        using Rows = std::vector<std::size_t>;
        CHECK(select_rows(analysis, "", RowOrder::layer, 0) == Rows{0, 1, 2});
        CHECK(select_rows(analysis, "", RowOrder::time, 0) == Rows{1, 2, 0});
        CHECK(select_rows(analysis, "", RowOrder::saving, 2) == Rows{0, 2});
        CHECK(select_rows(analysis, "a", RowOrder::time, 0) == Rows{2, 0});
        CHECK(select_rows(analysis, "a", RowOrder::layer, 9) == Rows{0, 2});
        CHECK(select_rows(analysis, "c", RowOrder::layer, 0).empty());
    }
}
