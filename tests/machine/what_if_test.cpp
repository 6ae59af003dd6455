// --set key=value: another machine by changing one number.

#include <doctest/doctest.h>

#include "ridge/error.hpp"
#include "small_machine.hpp"

using namespace ridge;
using ridge::test::small_machine;

namespace {

Machine with(const char* assignment) {
    auto machine = small_machine();
    apply_what_if(machine, assignment);
    return machine;
}

std::string error_with(const char* assignment) {
    auto machine = small_machine();
    try {
        apply_what_if(machine, assignment);
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_input);
        CHECK(machine == small_machine());
        return error.what();
    }
    return "no error";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a factor scales every figure behind the key") {
        const auto m = with("dram.bandwidth=2x");
        CHECK(bandwidth(m.levels[3], AccessKind::read, 1)->value() == doctest::Approx(20e9));
        CHECK(bandwidth(m.levels[3], AccessKind::read, 4)->value() == doctest::Approx(48e9));
        CHECK(bandwidth(m.levels[3], AccessKind::copy, 1, true)->value() == doctest::Approx(18e9));
        CHECK(bandwidth(m.levels[2], AccessKind::read, 1)->value() == doctest::Approx(40e9));
        CHECK(peak(with("compute=0.5x"), DataType::f32, 4)->value() == doctest::Approx(170e9));
        CHECK(peak(with("compute.f32=0.5x"), DataType::f32, 1)->value() == doctest::Approx(50e9));
    }

    TEST_CASE("a value sets the highest figure and keeps the ratios") {
        const auto m = with("dram.bandwidth=48GB/s");
        CHECK(bandwidth(m.levels[3], AccessKind::read, 4)->value() == doctest::Approx(48e9));
        CHECK(bandwidth(m.levels[3], AccessKind::read, 1)->value() == doctest::Approx(20e9));
        CHECK(peak(with("compute=0.68 TFLOP/s"), DataType::f32, 1)->value() ==
              doctest::Approx(200e9));
        CHECK(with("l2.capacity=2MiB").levels[1].capacity_bytes->value == 2097152);
        CHECK(with("L3.latency=10ns").levels[2].latency_s->value == doctest::Approx(10e-9));
        const auto overheads = with("overhead=2us").overheads;
        CHECK(overheads.empty_primitive_s->value == doctest::Approx(2e-6));
        CHECK(overheads.parallel_region_s.at(4).value == doctest::Approx(8e-6));
    }

    TEST_CASE("what was changed says so, and what described the real machine is gone") {
        const auto m = with("compute=2x");
        CHECK(m.compute[1].flops_per_s.source == Source::given);
        CHECK(has(m.compute[1].flops_per_s.note, "compute=2x"));
        CHECK(has(m.compute[1].flops_per_s.note, "measured"));
        CHECK_FALSE(m.compute[1].datasheet_flops_per_s);
        CHECK_FALSE(m.quiet);
        CHECK(has(m.name, "compute=2x"));
    }

    TEST_CASE("the effective capacity follows the capacity") {
        const auto m = with("l3.capacity=16MiB");
        CHECK(m.levels[2].effective_capacity_bytes->value == 12.0 * 1024 * 1024);
    }

    TEST_CASE("wrong keys and values are one line with the list of keys") {
        for (const char* wrong : {"l4.bandwidth=2x", "bandwidth=2x", "dram.bandwidth", "=2x", ""}) {
            const auto error = error_with(wrong);
            CHECK_MESSAGE(has(error, "dram.bandwidth"), wrong);
            CHECK(has(error, "l2.capacity"));
        }
        for (const char* wrong :
             {"dram.bandwidth=0x", "dram.bandwidth=-2x", "dram.bandwidth=fast",
              "dram.bandwidth=", "dram.bandwidth=x", "dram.bandwidth=10 GFLOP/s",
              "dram.bandwidth=nanx", "l2.capacity=0", "l3.latency=5 lightyears"})
            CHECK_MESSAGE(error_with(wrong) != "no error", wrong);
    }

    TEST_CASE("no what-if makes an impossible machine") {
        CHECK(has(error_with("l2.capacity=1GiB"), "levels[2].capacity_bytes"));
        CHECK(error_with("dram.bandwidth=1e20x") != "no error");
    }

    TEST_CASE("every key that is offered works") {
        for (const auto& [key, meaning] : what_if_keys(small_machine())) {
            CHECK_FALSE(meaning.empty());
            CHECK_NOTHROW(with((key + "=1.01x").c_str()));
        }
    }
}
