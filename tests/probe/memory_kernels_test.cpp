// The memory loops touch exactly the bytes that bandwidths are computed from.
#include "collectors/probe/memory_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "collectors/probe/arena.hpp"

using namespace ridge;
using namespace ridge::probe;

namespace {

bool runs_here(const CpuFeatures& cpu, const MemoryKernel& kernel) {
    if (kernel.isa == Isa::avx512) return cpu.avx512;
    return kernel.isa == Isa::avx2 ? cpu.fma : cpu.sse2;
}

template <class Check>
void for_each_runnable(Check check) {
    const CpuFeatures cpu = this_cpu();
    for (const MemoryKernel& kernel : memory_kernels()) {
        if (!runs_here(cpu, kernel)) continue;
        CAPTURE(bits_of(kernel.isa));
        CAPTURE(to_string(kernel.kind));
        CAPTURE(kernel.non_temporal);
        check(kernel);
    }
}

/// Floats in an arena with a guard block before and after.
struct Guarded {
    static constexpr std::size_t guard = 1024;
    Arena arena{Bytes(1 << 20)};
    std::size_t bytes;

    explicit Guarded(std::size_t size) : bytes(size) {
        std::mt19937 random(11);
        std::uniform_int_distribution<int> small(-100, 100);
        for (std::size_t i = 0; i < (bytes + 2 * guard) / 4; ++i)
            floats(0)[i] = static_cast<float>(small(random));
    }
    [[nodiscard]] float* floats(std::size_t offset) const {
        return reinterpret_cast<float*>(arena.data() + offset);
    }
    [[nodiscard]] std::byte* begin() const { return arena.data() + guard; }
    [[nodiscard]] std::vector<float> copy() const { return {floats(0), floats(bytes + 2 * guard)}; }
};

constexpr std::size_t total = 3 * 5 * memory_block;  // an odd number of blocks for each kind

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("stores: every element gets its value, and nothing else is written") {
        for_each_runnable([](const MemoryKernel& kernel) {
            if (kernel.kind == AccessKind::read) return;
            const Guarded memory(total);
            const std::vector<float> before = memory.copy();
            const MemoryArrays m = lay_out(kernel.kind, memory.begin(), total);
            ReadSums sums;
            kernel.loop(m, 3, sums);

            std::vector<float> expected = before;
            const std::size_t n = static_cast<std::size_t>(m.bytes) / 4;
            const std::size_t a = Guarded::guard / 4, b = a + n, c = b + n;
            for (std::size_t i = 0; i < n; ++i) {
                if (kernel.kind == AccessKind::write) expected[a + i] = write_value;
                if (kernel.kind == AccessKind::copy) expected[a + i] = before[b + i];
                if (kernel.kind == AccessKind::triad)
                    expected[a + i] = before[b + i] + triad_factor * before[c + i];
            }
            CHECK(memory.copy() == expected);
        });
    }

    TEST_CASE("reads: every vector is loaded once per pass") {
        for_each_runnable([](const MemoryKernel& kernel) {
            if (kernel.kind != AccessKind::read) return;
            const Guarded memory(total);
            const std::vector<float> before = memory.copy();
            const MemoryArrays m = lay_out(kernel.kind, memory.begin(), total);
            // Register k folds bytes k V .. k V + V of every step of 8 V bytes.
            const std::size_t step = static_cast<std::size_t>(bits_of(kernel.isa));
            std::array<std::byte, memory_block> expected{};
            for (std::size_t at = 0; at < total; ++at) expected[at % step] ^= memory.begin()[at];

            ReadSums odd, even;
            kernel.loop(m, 1, odd);
            CHECK(std::equal(expected.begin(), expected.end(), odd.bytes));
            kernel.loop(m, 2, even);  // an even number of passes cancels
            CHECK(std::all_of(even.bytes, even.bytes + step,
                              [](std::byte value) { return value == std::byte{0}; }));
            CHECK(memory.copy() == before);
        });
    }

    TEST_CASE("arrays share the buffer without overlap, in whole blocks") {
        std::array<std::byte, 64> base{};
        for (const auto kind :
             {AccessKind::read, AccessKind::write, AccessKind::copy, AccessKind::triad}) {
            const std::int64_t size = 100 * memory_block + 17;
            const MemoryArrays m = lay_out(kind, base.data(), size);
            CHECK(m.bytes % memory_block == 0);
            CHECK(m.bytes * arrays_of(kind) <= size);
            CHECK(m.bytes * arrays_of(kind) > size - arrays_of(kind) * memory_block - 17);
            if (arrays_of(kind) > 1) CHECK(m.b - m.a == m.bytes);
            if (arrays_of(kind) > 2) CHECK(m.c - m.b == m.bytes);
        }
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("widths worth trying, by processor") {
        CpuFeatures cpu;
        cpu.sse2 = true;
        CHECK(memory_widths(cpu) == std::vector<Isa>{Isa::sse});
        cpu.avx2 = cpu.fma = true;
        CHECK(memory_widths(cpu) == std::vector<Isa>{Isa::avx2});
        cpu.avx512 = true;
        CHECK(memory_widths(cpu) == std::vector<Isa>{Isa::avx512, Isa::avx2});
    }

    TEST_CASE("an arena is aligned to huge pages and large enough") {
        const Arena arena(Bytes(5e6));
        CHECK(reinterpret_cast<std::uintptr_t>(arena.data()) % (2u << 20) == 0);
        CHECK(arena.size() == 6u << 20);
        std::memset(arena.data(), 1, arena.size());
        CHECK(arena.huge_page_share() <= 1);
        CHECK(available_memory().value() > 0);
    }
}
