// Buffer sizes on machines with other caches than this one.
#include "collectors/probe/buffer_plan.hpp"

#include <doctest/doctest.h>

using namespace ridge;
using namespace ridge::probe;

namespace {

constexpr double KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

/// `cores` cores with private L1 and L2 and one L3 for each `per_l3` of them; 0: no such cache.
Topology machine(int cores, double l1, double l2, double l3, int per_l3, bool inclusive = false) {
    Topology t;
    const auto add = [&](int level, double size, std::vector<int> cpus) {
        Cache cache;
        cache.level = level;
        cache.size = Bytes(size);
        cache.inclusive = inclusive;
        cache.cpus = std::move(cpus);
        t.caches.push_back(cache);
    };
    for (int i = 0; i < cores; ++i) t.cores.push_back({{i}, 0, 0, 0});
    for (int i = 0; i < cores; ++i) add(1, l1, {i});
    if (l2 > 0)
        for (int i = 0; i < cores; ++i) add(2, l2, {i});
    for (int i = 0; l3 > 0 && i < cores; i += per_l3) {
        std::vector<int> cpus;
        for (int k = i; k < i + per_l3; ++k) cpus.push_back(k);
        add(3, l3, cpus);
    }
    return t;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("half of each level per thread's share") {
        const Topology t = machine(8, 32 * KiB, MiB, 32 * MiB, 8);
        for (const int threads : {1, 2, 8}) {
            const auto cpus = binding(t, threads);
            CHECK(cache_buffer(t, 1, cpus, Bytes(0)).per_thread.value() == 16 * KiB);
            CHECK(cache_buffer(t, 2, cpus, Bytes(0)).per_thread.value() == 512 * KiB);
            CHECK(cache_buffer(t, 3, cpus, Bytes(0)).per_thread.value() == 16 * MiB / threads);
        }
    }

    TEST_CASE("a last level that is smaller than reported gets half of what there is") {
        const Topology t = machine(2, 32 * KiB, MiB, 260 * MiB, 2);
        CHECK(cache_buffer(t, 3, {0}, Bytes(0)).per_thread.value() == 130 * MiB);
        CHECK(cache_buffer(t, 3, {0}, Bytes(30 * MiB)).per_thread.value() == 16 * MiB);
        // A capacity that comes out somewhat differently gives the same buffer.
        CHECK(cache_buffer(t, 3, {0}, Bytes(34 * MiB)).per_thread.value() == 16 * MiB);
        CHECK(cache_buffer(t, 3, {0, 1}, Bytes(30 * MiB)).per_thread.value() == 8 * MiB);
        // More than reported is the reported one.
        CHECK(cache_buffer(t, 3, {0}, Bytes(300 * MiB)).per_thread.value() == 130 * MiB);
    }

    TEST_CASE("a victim cache that is hardly larger than the L2 is measured beyond the L2") {
        // Skylake-SP: 1.375 MiB of L3 a core behind 1 MiB of L2, with other contents.
        const Topology t = machine(28, 32 * KiB, MiB, 38.5 * MiB, 28);
        const auto all = cache_buffer(t, 3, binding(t, 28), Bytes(0));
        CHECK(all.reason.empty());
        CHECK(all.per_thread.value() == 1.5 * MiB);
    }

    TEST_CASE("an inclusive one of that size cannot be told from the L2") {
        const Topology t = machine(28, 32 * KiB, MiB, 38.5 * MiB, 28, true);
        const auto plan = cache_buffer(t, 3, binding(t, 28), Bytes(0));
        CHECK(plan.per_thread.value() == 0);
        CHECK(plan.reason.find("1 MiB") != std::string::npos);
    }

    TEST_CASE("a level that some core lacks is not measured with it") {
        Topology t = machine(2, 32 * KiB, MiB, 0, 1);
        t.caches.pop_back();  // the L2 of core 1
        CHECK(cache_buffer(t, 2, {0}, Bytes(0)).reason.empty());
        CHECK_FALSE(cache_buffer(t, 2, {0, 1}, Bytes(0)).reason.empty());
        CHECK_FALSE(cache_buffer(t, 3, {0}, Bytes(0)).reason.empty());
    }

    TEST_CASE("DRAM: four times all last-level caches in use, shared out") {
        const Topology t = machine(16, 32 * KiB, MiB, 32 * MiB, 8);
        CHECK(memory_buffer(t, binding(t, 1)).value() == 128 * MiB);
        CHECK(memory_buffer(t, binding(t, 8)).value() == 16 * MiB);
        CHECK(memory_buffer(t, binding(t, 16)).value() == 16 * MiB);
        CHECK(memory_buffer(machine(4, 32 * KiB, 2 * MiB, 0, 1), {0}).value() == 8 * MiB);
        // A last level of 256 MiB takes a buffer of 1 GiB.
        CHECK(memory_buffer(machine(8, 32 * KiB, MiB, 256 * MiB, 8), {0}).value() == GiB);
        CHECK(memory_buffer(Topology{}, {0, 1}).value() == 128 * MiB);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("each thread owns what the largest of its buffers needs") {
        const Topology t = machine(4, 32 * KiB, MiB, 32 * MiB, 4);
        const auto plan = plan_memory(t, {1, 2, 4}, binding(t, 4), Bytes(GiB), Bytes(16 * MiB));
        CHECK(plan.owned[0].value() == 128 * MiB);
        CHECK(plan.owned[1].value() == 64 * MiB);
        CHECK(plan.owned[2].value() == 32 * MiB);
        CHECK(plan.owned[3].value() == 32 * MiB);
        for (const auto& dram : plan.dram) CHECK(dram.reason.empty());
    }

    TEST_CASE("too little memory: the largest thread count is kept, the others say why not") {
        const Topology t = machine(4, 32 * KiB, MiB, 32 * MiB, 4);
        const auto plan =
            plan_memory(t, {1, 2, 4}, binding(t, 4), Bytes(200 * MiB), Bytes(16 * MiB));
        CHECK(plan.dram[2].per_thread.value() == 32 * MiB);
        CHECK(plan.dram[1].per_thread.value() == 64 * MiB);
        CHECK(plan.dram[0].per_thread.value() == 0);
        CHECK(plan.dram[0].reason.find("200 MiB") != std::string::npos);
        CHECK(plan.owned[0].value() == 64 * MiB);
        const auto none = plan_memory(t, {1, 2, 4}, binding(t, 4), Bytes(MiB), Bytes(KiB));
        for (const auto& dram : none.dram) CHECK_FALSE(dram.reason.empty());
    }
}
