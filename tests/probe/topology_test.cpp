// Topologies of machines that this one is not, as hwloc's own XML.
#include "collectors/probe/topology.hpp"

#include <doctest/doctest.h>
#include <hwloc.h>

#include <set>
#include <string>

#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::probe;

namespace {

/// XML that lstopo would save for a machine in hwloc's synthetic notation. With `fast_cpus` the
/// processor is hybrid: so many hardware threads of the fast kind first.
std::string xml_of(const std::string& synthetic, unsigned fast_cpus = 0) {
    hwloc_topology_t topology = nullptr;
    hwloc_topology_init(&topology);
    REQUIRE(hwloc_topology_set_synthetic(topology, synthetic.c_str()) == 0);
    REQUIRE(hwloc_topology_load(topology) == 0);
    if (fast_cpus > 0) {
        const hwloc_bitmap_t fast = hwloc_bitmap_alloc(), slow = hwloc_bitmap_alloc();
        hwloc_bitmap_set_range(fast, 0, static_cast<int>(fast_cpus) - 1);
        hwloc_bitmap_andnot(slow, hwloc_topology_get_topology_cpuset(topology), fast);
        hwloc_cpukinds_register(topology, slow, 0, 0, nullptr, 0);
        hwloc_cpukinds_register(topology, fast, 1, 0, nullptr, 0);
        hwloc_bitmap_free(fast);
        hwloc_bitmap_free(slow);
    }
    char* buffer = nullptr;
    int length = 0;
    REQUIRE(hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0) == 0);
    std::string xml(buffer);
    hwloc_free_xmlbuffer(topology, buffer);
    hwloc_topology_destroy(topology);
    return xml;
}

Topology machine(const std::string& synthetic, unsigned fast_cpus = 0) {
    return topology_from_xml(xml_of(synthetic, fast_cpus));
}

const std::string skylake_2s =
    "pack:2 [numa] l3:1(size=40370176) l2:28(size=1048576) l1d:1(size=32768) core:1 pu:2";
constexpr double MiB = 1024.0 * 1024.0;

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("two sockets of 28 cores with two threads each") {
        const Topology t = machine(skylake_2s);
        CHECK(t.sockets == 2);
        CHECK(t.cores.size() == 56);
        CHECK(t.hardware_threads() == 112);
        CHECK(t.core_kinds == 1);
        CHECK(t.cache_levels() == std::vector<int>{1, 2, 3});
        CHECK(t.cache_of(0, 3)->size.value() == 38.5 * MiB);
        CHECK(t.cache_of(0, 3)->cpus.size() == 56);
        CHECK(t.cache_of(0, 1)->cpus.size() == 2);
        CHECK(t.cores.front().numa_node == 0);
        CHECK(t.cores.back().numa_node == 1);
        CHECK(t.cores.back().socket == 1);
    }

    TEST_CASE("threads fill cores, then sockets, then the second thread of each core") {
        const Topology t = machine(skylake_2s);
        const auto cpus = binding(t, 112);
        REQUIRE(cpus.size() == 112);
        CHECK(std::set<int>(cpus.begin(), cpus.end()).size() == 112);
        CHECK(cpus[0] == 0);
        CHECK(cpus[1] == 2);    // synthetic numbering: the threads of a core are neighbours
        CHECK(cpus[28] == 56);  // first core of the second socket
        CHECK(cpus[56] == 1);   // second thread of the first core
        CHECK(binding(t, 3).size() == 3);
    }

    TEST_CASE("shares of a cache: alone, with a full socket, across two") {
        const Topology t = machine(skylake_2s);
        CHECK(share_per_thread(t, 3, binding(t, 1)).value() == 38.5 * MiB);
        CHECK(share_per_thread(t, 3, binding(t, 28)).value() == doctest::Approx(38.5 * MiB / 28));
        // 28 on the first socket and one on the second: the crowded one decides.
        CHECK(share_per_thread(t, 3, binding(t, 29)).value() == doctest::Approx(38.5 * MiB / 28));
        CHECK(total_in_use(t, 3, binding(t, 28)).value() == 38.5 * MiB);
        CHECK(total_in_use(t, 3, binding(t, 29)).value() == 77 * MiB);
        // Private caches halve only when both threads of a core are used.
        CHECK(share_per_thread(t, 2, binding(t, 56)).value() == MiB);
        CHECK(share_per_thread(t, 2, binding(t, 57)).value() == MiB / 2);
    }

    TEST_CASE("no L3") {
        const Topology t = machine("pack:1 l2:1(size=2097152) l1d:4(size=32768) core:1 pu:1");
        CHECK(t.cache_levels() == std::vector<int>{1, 2});
        CHECK(t.cache_of(0, 3) == nullptr);
        CHECK(share_per_thread(t, 3, binding(t, 2)).value() == 0);
        // All four cores share the L2.
        CHECK(share_per_thread(t, 2, binding(t, 4)).value() == MiB / 2);
    }

    TEST_CASE("a hybrid processor: the fast cores come first") {
        const Topology t = machine("pack:1 core:8 pu:1", 4);
        CHECK(t.core_kinds == 2);
        CHECK(t.cores[0].kind == 0);
        CHECK(t.cores[7].kind == 1);
        CHECK(binding(t, 8).front() == 0);
        Topology reversed = t;
        for (auto& core : reversed.cores) core.kind = 1 - core.kind;
        CHECK(binding(reversed, 8).front() == 4);
    }

    TEST_CASE("only fast cores with two threads: their second threads come last") {
        Topology t;
        t.cores = {{{0, 1}, 0, 0, 0}, {{2, 3}, 0, 0, 0}, {{4}, 0, 0, 1}, {{5}, 0, 0, 1}};
        CHECK(t.hardware_threads() == 6);
        CHECK(binding(t, 6) == std::vector<int>{0, 2, 4, 5, 1, 3});
    }

    TEST_CASE("cores without known caches") {
        const Topology t = machine("pack:1 core:2 pu:1");
        CHECK(t.caches.empty());
        CHECK(t.cache_levels().empty());
        CHECK(t.cores.size() == 2);
    }

    TEST_CASE("associativity, line and inclusion are read") {
        std::string xml = xml_of("pack:1 l2:1(size=1048576) core:1 pu:1");
        const auto at = xml.find("cache_associativity=\"");
        REQUIRE(at != std::string::npos);
        const auto open = xml.find('"', at), close = xml.find('"', open + 1);
        xml.replace(open + 1, close - open - 1, "8");
        const Topology t = topology_from_xml(xml);
        CHECK(t.cache_of(0, 2)->ways == 8);
        CHECK(t.cache_of(0, 2)->line_bytes == 64);
        CHECK_FALSE(t.cache_of(0, 2)->inclusive);
    }

    TEST_CASE("text that is no topology is an error, not an empty machine") {
        CHECK_THROWS_AS((void)topology_from_xml("<topology/>"), Error);
    }

    TEST_CASE("this machine has at least one core and its threads are all different") {
        const Topology t = read_topology();
        const auto cpus = binding(t, t.hardware_threads());
        CHECK(std::set<int>(cpus.begin(), cpus.end()).size() == cpus.size());
        CHECK(static_cast<int>(cpus.size()) == t.hardware_threads());
    }

    TEST_CASE("pages on one node under threads on two are told") {
        CHECK(first_touch_warning({0, 0, 0}, {0, 1}) == "all pages on node 0, threads on 2 nodes");
        CHECK(first_touch_warning({0, 1, 0}, {0, 1}).empty());
        CHECK(first_touch_warning({1, 1}, {1, 1}).empty());
        CHECK(first_touch_warning({}, {0, 1}).empty());
    }
}

TEST_SUITE("formula") {
    TEST_CASE("thread counts double up to all") {
        CHECK(thread_counts(1) == std::vector<int>{1});
        CHECK(thread_counts(2) == std::vector<int>{1, 2});
        CHECK(thread_counts(6) == std::vector<int>{1, 2, 4, 6});
        CHECK(thread_counts(64) == std::vector<int>{1, 2, 4, 8, 16, 32, 64});
    }
}
