// Machine files: what is written reads back, and what cannot be is refused with its place.

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "model/machine/machine_yaml.hpp"
#include "ridge/error.hpp"
#include "small_machine.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using ridge::test::small_machine;

namespace {

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return "no error";
}

/// The example's file with one piece of text replaced.
std::string error_after(const std::string& text, const std::string& replacement) {
    std::string yaml = machine_to_yaml(small_machine());
    const auto at = yaml.find(text);
    REQUIRE(at != std::string::npos);
    yaml.replace(at, text.size(), replacement);
    return error_of([&] { (void)machine_from_yaml(yaml, "m.yaml"); });
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string lint_of(const std::function<void(Machine&)>& change) {
    auto machine = small_machine();
    change(machine);
    std::string lines;
    for (const auto& line : lint(machine)) lines += line + "\n";
    return lines;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a machine reads back equal, to the last bit") {
        auto machine = small_machine();
        machine.levels[1].behaviour = {"srrip", "exclusive", "write_back", "stream", true, 0.1, 32};
        CHECK(machine_from_yaml(machine_to_yaml(machine), "m.yaml") == machine);
        test::TemporaryFolder folder;
        const auto path = folder.file("m.yaml");
        save_machine(machine, path);
        CHECK(load_machine(path) == machine);
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& entry :
             std::filesystem::directory_iterator(folder.path()))
            ++files;
        CHECK(files == 1);
    }

    TEST_CASE("text that YAML would take for something else survives") {
        auto machine = small_machine();
        for (const char* text : {"yes", "1.5", "a: b", "# no", "\"q\" \\ back", "tab\there",
                                 "line\nbreak", "é", "{x", "- y", "null", "~"}) {
            machine.description = text;
            machine.levels[0].bandwidths[0].bytes_per_s.note = text;
            CHECK(machine_from_yaml(machine_to_yaml(machine), "m.yaml") == machine);
        }
        // What a terminal would obey does not come out of a file.
        machine.description = "\x01";
        CHECK_THROWS_AS((void)machine_from_yaml(machine_to_yaml(machine), "m.yaml"), Error);
    }

    TEST_CASE("a typo names the line and the nearest key") {
        const auto error = error_after("line_bytes", "lines_bytes");
        CHECK(has(error, "m.yaml:"));
        CHECK(has(error, "'line_bytes'"));
        CHECK(has(error, "'lines_bytes'"));
    }

    TEST_CASE("a wrong word lists the right ones") {
        CHECK(has(error_after("isa: avx2", "isa: avx3"), "avx512"));
        CHECK(has(error_after("dtype: f32", "dtype: fp32"), "f32"));
        CHECK(has(error_after("source: measured", "source: guessed"), "given"));
        CHECK(has(error_after("kind: copy", "kind: move"), "triad"));
    }

    TEST_CASE("impossible numbers are refused with file, line and key") {
        const auto negative =
            error_after("bytes_per_s: {value: 200000000000", "bytes_per_s: {value: -1");
        CHECK(has(negative, "m.yaml:"));
        CHECK(has(negative, "levels[0].bandwidths[0].bytes_per_s"));
        CHECK(has(negative, "-1"));
        CHECK(has(error_after("bytes_per_s: {value: 200000000000", "bytes_per_s: {value: 0"),
                  "bytes_per_s"));
        CHECK(has(error_after("{value: 32768", "{value: 33554432"), "levels[1].capacity_bytes"));
        CHECK(has(error_after("{value: 32768", "{value: 32769"), "multiple of"));
        CHECK(has(error_after("{value: 102400000000", "{value: 50000000000"), "datasheet"));
        CHECK(has(error_after("fma_flops_per_s: 101000000000", "fma_flops_per_s: 1e13"),
                  "quiet.fma_flops_per_s"));
        CHECK(has(error_after("fma_flops_per_s: 101000000000", "fma_flops_per_s: -3"),
                  "quiet.fma_flops_per_s"));
        CHECK(has(error_after("clock_hz: 3200000000", "clock_hz: 3.2"), "quiet.clock_hz"));
        CHECK(has(error_after("windows: 3", "windows: 1"), "3 windows"));
        CHECK(has(error_after("threads: 4\n    flops", "threads: 5\n    flops"), "4 threads"));
        CHECK(has(error_after("cores: 4", "cores: 0"), "cpu.cores"));
        CHECK(has(error_after("{value: 6291456", "{value: 9000000"), "effective_capacity_bytes"));
        CHECK(has(error_after("value: 1e-06", "value: .nan"), "number"));
        CHECK(has(error_after("value: 1e-06", "value: 1e999"), "number"));
        CHECK(has(error_after("\"avx512f\"", "\"sse2\""), "isa_flags"));
        CHECK(has(error_after("ridge_machine: 1", "ridge_machine: 2"), "ridge_machine"));
        CHECK(has(error_after("name: \"L2\"", "name: \"L1\""), "second"));
    }

    TEST_CASE("a missing key is named") {
        CHECK(has(error_after("    shared_by: 1\n", ""), "'shared_by'"));
        CHECK(has(error_of([] { (void)machine_from_yaml("", "m.yaml"); }), "m.yaml"));
        CHECK(has(error_of([] { (void)machine_from_yaml("- 1", "m.yaml"); }), "m.yaml"));
    }

    TEST_CASE("nothing impossible is written, and nothing half-written stays") {
        auto machine = small_machine();
        machine.levels[0].capacity_bytes->value = std::numeric_limits<double>::infinity();
        test::TemporaryFolder folder;
        const auto path = folder.file("m.yaml");
        CHECK(has(error_of([&] { save_machine(machine, path); }), "capacity_bytes"));
        CHECK_FALSE(std::filesystem::exists(path));
        CHECK(has(error_of([&] { save_machine(small_machine(), folder.file("no/such/m.yaml")); }),
                  "no/such"));
    }

    TEST_CASE("an unknown machine lists the known ones, an absent local one says what makes it") {
        const auto unknown = error_of([] { (void)load_machine("cray-1"); });
        CHECK(has(unknown, "'cray-1'"));
        CHECK(has(unknown, "xeon-gold-6148-2s"));
        CHECK(has(error_of([] { (void)load_machine("./absent.yaml"); }), "absent.yaml"));
    }

    TEST_CASE("the shipped machines load without a finding, and every number has its source") {
        const auto machines = shipped_machines();
        CHECK(machines.size() >= 2);
        for (const auto& entry : machines) {
            const auto machine = load_machine(entry.name);
            CHECK_MESSAGE(lint(machine).empty(), entry.name);
            CHECK(machine.name == entry.name);
            for (const auto& ceiling : machine.compute) {
                CHECK(ceiling.flops_per_s.source == Source::given);
                CHECK_FALSE(ceiling.flops_per_s.note.empty());
            }
        }
    }

    TEST_CASE("the shipped Xeon: units x lanes x 2 x clock, channels x 8 bytes x transfers") {
        const auto machine = load_machine("xeon-gold-6148-2s");
        CHECK(peak(machine, DataType::f32, 40)->value() ==
              doctest::Approx(40.0 * 2 * 16 * 2 * 2.2e9));
        CHECK(bandwidth(machine.levels.back(), AccessKind::read, 40)->value() ==
              doctest::Approx(2 * 6 * 8 * 8e9 / 3));
        CHECK(usable_capacity(machine, machine.levels[2], 40)->value() ==
              doctest::Approx(2 * 27.5 * 1024 * 1024));
    }

    TEST_CASE("lint tells what is odd without refusing it") {
        CHECK(lint(small_machine()).empty());
        CHECK(has(lint_of([](Machine& m) { m.compute[2].flops_per_s.value = 80e9; }),
                  "compute[2].flops_per_s"));  // falls with more threads
        CHECK(has(lint_of([](Machine& m) { m.compute[2].flops_per_s.value = 500e9; }),
                  "at most 4 times"));
        CHECK(has(lint_of([](Machine& m) { m.levels[1].bandwidths[0].bytes_per_s.value = 300e9; }),
                  "levels[1].bandwidths"));  // L2 faster than L1
        CHECK(has(lint_of([](Machine& m) { m.levels[2].latency_s->value = 1e-9; }),
                  "levels[2].latency_s"));
        CHECK(has(lint_of([](Machine& m) { m.compute[0].flops_per_s.note.clear(); }),
                  "where the number comes from"));
        // C11: 1 unit at the AVX clock against 2 units at the nominal clock
        CHECK(has(lint_of([](Machine& m) {
                      m.compute[1].flops_per_s.value = 422.4e9 / 12;
                      m.compute[1].datasheet_flops_per_s->value = 1612.8e9 / 12;
                  }),
                  "at least half of the datasheet"));
        // C10: a second hardware thread brings no second unit
        CHECK(has(lint_of([](Machine& m) {
                      m.threads = 8;
                      m.compute.push_back(
                          {Isa::avx512, true, DataType::f32, 8, test::given(680e9), {}, {}});
                  }),
                  "at most 1 times the 340 GFLOP/s of 4 threads"));
        CHECK(
            has(lint_of([](Machine& m) { m.quiet->fma = FlopsPerSecond(150e9); }), "probe again"));
    }

    TEST_CASE("a GPU's ceilings follow from its multiprocessors; sparse and mixed-up peaks show") {
        const auto h100 = load_machine("h100_sxm");
        REQUIRE(h100.gpu);
        CHECK(h100.gpu->chip == load_machine("h200").gpu->chip);
        CHECK(peak(h100, DataType::bf16, h100.threads)->value() ==
              doctest::Approx(989.4e12).epsilon(0.001));
        CHECK(machine_from_yaml(machine_to_yaml(h100), "m.yaml") == h100);
        const auto lint_after = [&](const std::function<void(Machine&)>& change) {
            auto machine = h100;
            change(machine);
            std::string lines;
            for (const auto& line : lint(machine)) lines += line + "\n";
            return lines;
        };
        const auto bf16 = [](Machine& m) -> ComputeCeiling& { return m.compute[3]; };
        REQUIRE(h100.compute[3].dtype == DataType::bf16);
        // 2:4 sparsity counted in, on top of the clock of another board
        CHECK(has(lint_after([&](Machine& m) { bf16(m).flops_per_s.value = 2.5e15; }), "dense"));
        // TF32 above bf16
        CHECK(has(lint_after([&](Machine& m) { bf16(m).flops_per_s.value = 400e12; }), "bf16"));
        // the number of multiprocessors of the PCIe board
        CHECK(has(lint_after([](Machine& m) {
                      m.cores = m.threads = 114;
                      for (auto& c : m.compute) c.threads = 114;
                      for (auto& l : m.levels) l.shared_by = 114;
                      m.levels[1].bandwidths[0].threads = 114;
                  }),
                  "boost clock"));
        CHECK(
            has(lint_after([](Machine& m) { m.compute[0].isa = Isa::avx512; }), "simt or tensor"));
        CHECK(has(lint_after([](Machine& m) { m.gpu.reset(); }), "instruction set of a CPU"));
        CHECK(has(lint_after([](Machine& m) {
                      m.compute[0].sustained_flops_per_s = Figure{90e12, Source::measured, -1, ""};
                  }),
                  "at most the ceiling"));
    }
}
