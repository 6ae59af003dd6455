// Loops whose iterations are taken together, and runs that stand for accesses: against the native
// run, against block by block, and against every single access.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "collectors/tracer/segment.hpp"
#include "ridge/cachesim.hpp"
#include "tests/tracer/assembled.hpp"
#include "tests/tracer/traced_layer.hpp"

using namespace ridge;
using namespace ridge::test;

// rdi: a number that decides how often; rax counts iterations; 4096 floats at rsi and rdx.
#define LOOP(name, prologue, step, jump)                                                      \
    RIDGE_ASSEMBLED(name, "xor eax, eax\n mov rcx, rdi\n" prologue                            \
                          "\n1:\n vmovups ymm0, [rsi]\n vmovups [rdx], ymm0\n inc rax\n" step \
                          "\n " jump " 1b\n vzeroupper\n")

LOOP(ridge_test_dec_jnz, "", "dec rcx", "jnz");
LOOP(ridge_test_sub_jg, "", "sub rcx, 3", "jg");
LOOP(ridge_test_sub_jns, "", "sub rcx, 3", "jns");
LOOP(ridge_test_add_jl, "neg rcx", "add rcx, 5\n cmp rcx, 0", "jl");
LOOP(ridge_test_add_jle, "neg rcx", "add rcx, 5\n cmp rcx, 0", "jle");
LOOP(ridge_test_inc_jnz, "neg rcx", "inc rcx", "jnz");
LOOP(ridge_test_inc_js, "neg rcx", "inc rcx", "js");
LOOP(ridge_test_cmp_jb, "xor r8d, r8d", "add r8, 7\n cmp r8, rcx", "jb");
LOOP(ridge_test_cmp_jbe, "xor r8d, r8d", "add r8, 7\n cmp r8, rcx", "jbe");
LOOP(ridge_test_cmp_jge, "", "sub rcx, 2\n cmp rcx, -40", "jge");
LOOP(ridge_test_two_move, "xor r8d, r8d", "add r8, 1\n sub rcx, 2\n cmp r8, rcx", "jl");
LOOP(ridge_test_by_register, "mov r8d, 4\n xor r9d, r9d", "add r9, r8\n cmp r9, rcx", "jl");
LOOP(ridge_test_cmp_jne, "lea r8, [rdi*8]\n xor r9d, r9d", "add r9, 8\n cmp r9, r8", "jne");
LOOP(ridge_test_constant, "", "mov r8d, 2\n sub rcx, 1\n cmp rcx, 0", "jg");
// Below zero an unsigned number is large: what ends the loop is not where it was heading.
LOOP(ridge_test_wraps, "", "sub rcx, 1000\n cmp rcx, 500", "jae");

// Streams: one read, one written around the caches, one read twice and moved by a register.
RIDGE_ASSEMBLED(ridge_test_streams,
                "mov r8d, 128\n1:\n vmovups zmm0, [rsi]\n vmulps zmm0, zmm0, [rdx + 4096]\n"
                "vmovntps [rcx], zmm0\n vmovups zmm1, [rdx + 4160]\n vmovups [rsi], zmm1\n"
                "add rsi, 64\n add rdx, r8\n add rcx, 64\n dec rdi\n jnz 1b\n");

namespace {

struct Loop {
    const char* name;
    const unsigned char *begin, *end;
    /// Iterations for n, worked out by hand.
    std::function<std::int64_t(std::int64_t)> iterations;
};

std::int64_t up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

#define ENTRY(name, formula)                                                          \
    {                                                                                 \
        #name, name, name##_end, [](std::int64_t n) { return std::int64_t{formula}; } \
    }

const std::vector<Loop> loops{
    ENTRY(ridge_test_dec_jnz, n),
    ENTRY(ridge_test_sub_jg, up(n, 3)),
    ENTRY(ridge_test_sub_jns, n / 3 + 1),
    ENTRY(ridge_test_add_jl, up(n, 5)),
    ENTRY(ridge_test_add_jle, n / 5 + 1),
    ENTRY(ridge_test_inc_jnz, n),
    ENTRY(ridge_test_inc_js, n),
    ENTRY(ridge_test_cmp_jb, up(n, 7)),
    ENTRY(ridge_test_cmp_jbe, n / 7 + 1),
    ENTRY(ridge_test_two_move, up(n, 3)),
    ENTRY(ridge_test_by_register, up(n, 4)),
    ENTRY(ridge_test_cmp_jne, n),
    ENTRY(ridge_test_constant, n),
    ENTRY(ridge_test_cmp_jge, n <= -38 ? 1 : (n + 40) / 2 + 1),
};

/// Line touches of the sink, in order.
struct Stream : RunSink {
    std::vector<LineRun> runs;
    void consume(std::span<const LineRun> chunk) override {
        runs.insert(runs.end(), chunk.begin(), chunk.end());
    }
};

/// A stream as a source for the simulator.
struct StreamSource : RunSource {
    explicit StreamSource(const Stream& s) : stream(s) {}
    const Stream& stream;
    TraceInfo of;
    [[nodiscard]] const TraceInfo& info() const override { return of; }
    void replay(RunSink& sink) override { sink.consume(stream.runs); }
};

/// Small, so that a few hundred lines overflow every level.
HierarchySpec small_levels() {
    HierarchySpec spec;
    spec.levels = {{.name = "L1", .capacity_bytes = 32 << 10, .ways = 8},
                   {.name = "L2", .capacity_bytes = 64 << 10, .ways = 8},
                   {.name = "L3", .capacity_bytes = 256 << 10, .ways = 16}};
    return spec;
}

void check_same_traffic(const Stream& a, const Stream& b) {
    StreamSource first(a), second(b);
    const Traffic one = simulate(first, small_levels()), other = simulate(second, small_levels());
    for (std::size_t i = 0; i < one.levels.size(); ++i) {
        CAPTURE(small_levels().levels[i].name);
        CHECK(one.levels[i].counts.read_bytes == other.levels[i].counts.read_bytes);
        CHECK(one.levels[i].counts.written_bytes == other.levels[i].counts.written_bytes);
    }
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("loops run as often as by hand and natively, whatever their branch" *
              doctest::skip(!__builtin_cpu_supports("avx"))) {
        alignas(64) static std::array<float, 16> from{}, to{};
        const auto source = reinterpret_cast<std::uint64_t>(from.data());
        const auto destination = reinterpret_cast<std::uint64_t>(to.data());
        for (const Loop& loop : loops)
            for (const std::int64_t n : {1, 2, 3, 4, 7, 8, 20, 21, 22, 35, 1000, 1001}) {
                CAPTURE(loop.name);
                CAPTURE(n);
                const auto native =
                    reinterpret_cast<std::int64_t (*)(std::int64_t, const float*, float*)>(
                        reinterpret_cast<std::uintptr_t>(loop.begin));
                const std::int64_t expected = loop.iterations(n);
                CHECK(native(n, from.data(), to.data()) == expected);
                const tracer::Registers entry =
                    arguments(static_cast<std::uint64_t>(n), source, destination);
                const Emulated together = emulate(loop.begin, loop.end, entry);
                const Emulated single = emulate(loop.begin, loop.end, entry, nullptr, true, true);
                CHECK(together.failure == "");
                CHECK(together.trace.counts.vector_stores.accesses == expected);
                CHECK(together.trace.counts.instructions == single.trace.counts.instructions);
                Stream runs, accesses;
                (void)emulate(loop.begin, loop.end, entry, &runs);
                (void)emulate(loop.begin, loop.end, entry, &accesses, false);
                double touches = 0, touched = 0;
                for (const LineRun& run : runs.runs) touches += double{1} * run.count * run.repeats;
                for (const LineRun& run : accesses.runs)
                    touched += double{1} * run.count * run.repeats;
                CHECK(touches == touched);
            }
    }

    TEST_CASE("an unsigned counter that passes zero goes on" *
              doctest::skip(!__builtin_cpu_supports("avx"))) {
        // A step of 1000 towards a border of 500 may pass zero, where unsigned numbers are large.
        alignas(64) static std::array<float, 16> from{}, to{};
        const auto native = reinterpret_cast<std::int64_t (*)(std::int64_t, const float*, float*)>(
            reinterpret_cast<std::uintptr_t>(ridge_test_wraps));
        for (const std::int64_t n : {10000, 10300, 1400}) {
            CAPTURE(n);
            const Emulated e = emulate(ridge_test_wraps, ridge_test_wraps_end,
                                       arguments(static_cast<std::uint64_t>(n),
                                                 reinterpret_cast<std::uint64_t>(from.data()),
                                                 reinterpret_cast<std::uint64_t>(to.data())));
            CHECK(e.trace.counts.vector_stores.accesses ==
                  static_cast<double>(native(n, from.data(), to.data())));
        }
    }

    TEST_CASE("streams of a loop move the same bytes as their accesses, wherever they lie") {
        std::mt19937_64 random(7);
        for (int round = 0; round < 60; ++round) {
            CAPTURE(round);
            tracer::Registers entry = arguments(1 + random() % 700);
            const auto place = [&](std::uint64_t region) {
                return (region << 24) + random() % 256 * 64;
            };
            entry[6] = place(1) + (round % 3 == 0 ? 4 * (random() % 16) : 0);
            entry[tracer::register_rdx] = place(round % 4 == 0 ? 1 : 2);
            entry[1] = place(3);
            if (round % 5 == 0) entry[1] = entry[6] / 64 * 64;  // in place
            Stream runs, accesses;
            CHECK(emulate(ridge_test_streams, ridge_test_streams_end, entry, &runs).failure == "");
            CHECK(emulate(ridge_test_streams, ridge_test_streams_end, entry, &accesses, false)
                      .failure == "");
            check_same_traffic(runs, accesses);
        }
    }

    TEST_CASE("pieces of random accesses: runs move the same bytes as the accesses") {
        std::mt19937_64 random(11);
        for (int round = 0; round < 40; ++round) {
            CAPTURE(round);
            tracer::Segment piece;
            const std::uint64_t bases = 1 + random() % 5;
            for (std::uint8_t i = 0; i < bases; ++i)
                REQUIRE(piece.base_of({.base = static_cast<std::uint8_t>(i / 2),
                                       .index = static_cast<std::uint8_t>(8 + i)}) == i);
            const std::uint64_t accesses = 1 + random() % 150, span = 1 + random() % 40;
            for (std::uint64_t i = 0; i < accesses; ++i) {
                const TouchKind kinds[] = {TouchKind::load, TouchKind::load, TouchKind::store,
                                           TouchKind::modify};
                const std::uint64_t bytes = std::uint64_t{4} << random() % 5;
                piece.add({static_cast<std::uint8_t>(random() % bases), kinds[random() % 4],
                           static_cast<std::uint16_t>(bytes),
                           static_cast<std::int64_t>(random() % (span * 64))});
            }
            Stream runs, plain;
            RunBuffer compressed(runs), each(plain);
            for (int execution = 0; execution < 200; ++execution) {
                tracer::Segment::Values values{};
                for (std::uint64_t i = 0; i < bases; ++i)
                    values[i] = (std::uint64_t{1} << 20) + random() % 32 * 1024 + random() % 2 * 4;
                piece.emit(values, 0, true, compressed);
                piece.emit(values, 0, false, each);
            }
            compressed.flush();
            each.flush();
            check_same_traffic(runs, plain);
        }
    }
}
