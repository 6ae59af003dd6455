// Do reference measurements survive their file, and are equal rows of a step joined?
#include "validate/reference_rows.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/files.hpp"
#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::validate;

namespace {

std::string scratch() {
    return (std::filesystem::temp_directory_path() / "ridge_reference_test.csv").string();
}

Measurement measured(const char* name, const char* problem, double time_s, int quiet) {
    Measurement m;
    m.key = {name, Pass::forward, ""};
    m.kind = LayerKind::convolution;
    m.problem = problem;
    m.implementation = "jit:avx512_core";
    m.time.time = Seconds(time_s);
    m.time.samples = 10;
    m.time.quiet_samples = quiet;
    m.time.upper_bound = quiet < 4;
    return m;
}

const char* line = "conv:mb2ic16ih8oc16oh8kh3ph1";

}  // namespace

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("equal rows become one with their spread; a disturbed one does not count") {
    Run run;
    run.info.network = "n";
    run.info.batch = 2;
    run.rows = {measured("a", line, 1.0e-3, 9), measured("b", line, 1.1e-3, 9),
                measured("c", line, 0.5e-3, 0),
                measured("d", "conv:mb2ic16ih8oc32oh8kh3ph1", 2e-3, 9)};
    const auto rows = reference_rows(run, {});
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].count == 3);
    CHECK(rows[0].time_s == doctest::Approx(1e-3));
    CHECK(rows[0].spread == doctest::Approx(0.1));
    CHECK(!rows[0].upper_bound);
    CHECK(!rows[0].has_demand);
    CHECK(rows[1].spread < 0);
}

TEST_CASE("round trip of times and counts") {
    ReferenceSet set;
    set.description = "machine: round\nlibrary: onednn 2.6.3\n";
    ReferenceRow row;
    row.network = "n";
    row.batch = 2;
    row.layer = parse_layer(line);
    row.time_s = 1.25e-3;
    row.implementation = "jit, with a comma";
    row.demand.fma.back() = 1234;
    row.demand.loads = {10, 640};
    row.demand.levels = {{"L2", Bytes(64), Bytes(128)}, {"L3", Bytes(192), Bytes(256)}};
    row.demand.busiest_share = 1;
    row.demand.footprint = Bytes(4096);
    row.demand.footprint = Bytes(4096);
    row.has_demand = true;
    set.rows = {row, row};
    set.rows[1].has_demand = false;
    save_reference(set, scratch());
    const ReferenceSet back = load_reference(scratch());
    REQUIRE(back.rows.size() == 2);
    CHECK(back.rows[0].machine == "round");
    CHECK(back.rows[0].implementation == row.implementation);
    CHECK(back.rows[0].time_s == doctest::Approx(1.25e-3));
    CHECK(back.rows[0].demand.fma.back() == 1234);
    CHECK(back.rows[0].demand.levels[1].written.value() == 256);
    CHECK(back.rows[0].layer == row.layer);
    CHECK(back.rows[0].demand.useful.value() == useful_flops(row.layer, Pass::forward).value());
    CHECK(!back.rows[1].has_demand);
    std::filesystem::remove(scratch());
}

TEST_CASE("a wrong line is named") {
    ReferenceSet set;
    set.rows.resize(1);
    set.rows[0].network = "n";
    set.rows[0].layer = parse_layer(line);
    set.rows[0].time_s = 1e-3;
    save_reference(set, scratch());
    std::string text = read_file(scratch());
    const auto at = text.find("forward");
    REQUIRE(at != std::string::npos);
    write_file(scratch(), text.substr(0, at) + "sideways" + text.substr(at + 7));
    CHECK_THROWS_WITH_AS((void)load_reference(scratch()), doctest::Contains(":2: expected a pass"),
                         Error);
    std::filesystem::remove(scratch());
}

TEST_SUITE_END();
