// Is a calibration the same after it was written and read, and is a wrong file told apart?
#include "model/predict/cpu/calibration.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/files.hpp"
#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::cpu;

namespace {

std::string scratch(const char* name) {
    return (std::filesystem::temp_directory_path() / name).string();
}

Calibration example() {
    Calibration c = prior_calibration();
    c.name = "example";
    c.machine = "round";
    c.made_at = "2026-01-01T00:00:00Z";
    c.library = "2.6.3";
    c.batch = {1, 16};
    c.threads = {1, 2};
    c.of(Family::other).constants.of(Resource::l3_read) = 0.625;
    c.of(Family::other).constants.capacity = 1.5;
    c.of(Family::other).residuals = {-0.25, 0.125, 40};
    c.of(Family::other).flops = {1, 1e9};
    c.classes["pooling max forward"] = {1.25, 2.5, {-0.5, 0.5, 20}};
    return c;
}

}  // namespace

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("round trip") {
    const std::string path = scratch("ridge_calibration_test.yaml");
    const Calibration before = example();
    save_calibration(before, path);
    const Calibration after = load_calibration(path);
    CHECK(after.name == before.name);
    CHECK(after.machine == before.machine);
    CHECK(after.batch == before.batch);
    CHECK(after.of(Family::other).constants.factor == before.of(Family::other).constants.factor);
    CHECK(after.of(Family::other).constants.capacity == 1.5);
    CHECK(after.of(Family::other).residuals == before.of(Family::other).residuals);
    CHECK(after.classes.at("pooling max forward").efficiency == 1.25);
    CHECK(after.classes.at("pooling max forward").memory == 2.5);
    std::filesystem::remove(path);
}

TEST_CASE("a damaged file names its key") {
    const std::string path = scratch("ridge_calibration_bad.yaml");
    save_calibration(example(), path);
    std::string text = read_file(path);
    const auto at = text.find("fma: 1");
    REQUIRE(at != std::string::npos);
    write_file(path, text.substr(0, at) + "fma: -1" + text.substr(at + 6));
    CHECK_THROWS_WITH_AS((void)load_calibration(path), doctest::Contains("fma"), Error);
    std::filesystem::remove(path);
    CHECK_THROWS_AS((void)load_calibration("no-such-calibration"), Error);
}

TEST_SUITE_END();
