// Files of constants, which of them a device gets, and layers as work.

#include <doctest/doctest.h>

#include <set>

#include "model/predict/gpu/layer_work.hpp"
#include "ridge/error.hpp"
#include "ridge/machine.hpp"
#include "small_gpu.hpp"

using namespace ridge;
using namespace ridge::gpu;
using ridge::test::small_gpu;

namespace {

CalibrationFile example() {
    CalibrationFile file;
    file.name = "example";
    file.provenance = "made up";
    for (const char* family : {"volta", "ampere"}) {
        ClassCalibration entry;
        entry.kernel_class = "gemm f32";
        entry.family = family;
        entry.constants.rows = 7;
        entry.constants.low = -0.125;
        entry.constants.high = 0.25;
        entry.constants.shared[Constant::tile] = 25;
        entry.constants.by_device[std::string(family) + "_board"] = entry.constants.shared;
        entry.constants.by_device[std::string(family) + "_board"][Constant::compute] = 0.5;
        entry.constants.architecture[std::string(family) + "_board"] = family;
        file.classes.push_back(entry);
    }
    return file;
}

std::string error_of(const std::string& text) {
    try {
        (void)calibration_from_yaml(text, "c.yaml");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a calibration reads back as it was written") {
        const auto file = calibration_from_yaml(calibration_to_yaml(example()), "c.yaml");
        CHECK(file.name == "example");
        REQUIRE(file.classes.size() == 2);
        const auto& entry = file.classes[0];
        CHECK(entry.constants.rows == 7);
        CHECK(entry.constants.high == 0.25);
        CHECK(entry.constants.shared[Constant::tile] == 25);
        CHECK(entry.constants.by_device.at("volta_board")[Constant::compute] == 0.5);
        CHECK(entry.constants.by_device.at("volta_board")[Constant::tile] == 25);
    }

    TEST_CASE("typos and values out of their bounds name line and key") {
        auto text = calibration_to_yaml(example());
        auto broken = text;
        broken.replace(broken.find("tile:"), 5, "tilt:");
        CHECK(error_of(broken).find("tilt") != std::string::npos);
        broken = text;
        broken.replace(broken.find("compute: 0.9"), 12, "compute: 9.9");
        CHECK(error_of(broken).find("compute") != std::string::npos);
        CHECK(error_of(broken).find("c.yaml:") != std::string::npos);
        CHECK(error_of("name: x").find("ridge_gpu_calibration") != std::string::npos);
    }

    TEST_CASE("a device gets its own constants, else its family's, else the nearest family's") {
        const std::vector<CalibrationFile> files{example()};
        auto d = small_gpu();
        d.name = "volta_board";
        CHECK(choose(files, "gemm f32", d).same_device);
        d.name = "unknown";
        d.family = "turing";  // runs Volta's kernels
        auto chosen = choose(files, "gemm f32", d);
        CHECK_FALSE(chosen.same_device);
        CHECK(chosen.same_family);
        CHECK(chosen.from->family == "volta");
        d.family = "hopper";
        chosen = choose(files, "gemm f32", d);
        CHECK_FALSE(chosen.same_family);
        CHECK(chosen.from->family == "ampere");
        CHECK_FALSE(choose(files, "batched gemm f32", d).same_class);
        CHECK_THROWS_AS((void)choose({}, "gemm f32", d), Error);
    }

    TEST_CASE("terms add up to the time; a device never seen has the wider interval") {
        const std::vector<CalibrationFile> files{example()};
        const auto layer = parse_layer("ip:mb256ic4096oc4096");
        auto d = small_gpu();
        d.name = "volta_board";
        const auto known = predict(layer, Pass::forward, d, files);
        double sum = 0;
        for (const auto& term : known.terms) sum += term.contribution.value();
        CHECK(sum == doctest::Approx(known.time.value()));
        CHECK(known.low < known.time);
        CHECK(known.time < known.high);
        CHECK(known.out_of_range.empty());
        CHECK(known.binding == known.terms.front().resource);
        d.name = "unknown";
        const auto unseen = predict(layer, Pass::forward, d, files);
        CHECK(unseen.high / unseen.time > known.high / known.time);
        CHECK(unseen.out_of_range.size() == 1);
    }
}

TEST_SUITE("formula") {
    TEST_CASE("the three products of a fully connected layer do the same work") {
        const auto layer = parse_layer("ip:mb32ic512oc1000");
        for (const auto pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            const auto w = work_of(layer, pass);
            CHECK(w.kind == WorkKind::gemm);
            CHECK(work_flops(w).value() == 2.0 * 32 * 512 * 1000);
            CHECK(work_bytes(w).value() == 4.0 * (32 * 512 + 512 * 1000 + 32 * 1000));
        }
        const auto update = work_of(layer, Pass::update);
        CHECK(work_bytes(update).value() ==
              doctest::Approx(minimum_bytes(layer, Pass::update).value()));
    }

    TEST_CASE("layers without products stream their compulsory bytes") {
        for (const char* line : {"pool:mb8ic96ih55oh27kh3sh2", "eltwise:mb8ic64ih28"}) {
            const auto layer = parse_layer(line);
            CHECK(work_bytes(work_of(layer, Pass::forward)).value() ==
                  doctest::Approx(minimum_bytes(layer, Pass::forward).value()));
        }
    }
}
