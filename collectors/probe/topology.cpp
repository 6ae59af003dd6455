#include "collectors/probe/topology.hpp"

#include <hwloc.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <memory>
#include <set>

#include "ridge/error.hpp"

namespace ridge::probe {
namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

Handle new_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) throw not_possible("topology", "hwloc does not start");
    return Handle(raw);
}

std::vector<int> cpus_in(hwloc_const_cpuset_t set) {
    std::vector<int> cpus;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
        cpus.push_back(cpu);
    return cpus;
}

/// hwloc ranks kinds of cores from the least to the most efficient in speed; here 0 is fastest.
int kind_of(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, int kinds) {
    if (kinds <= 1) return 0;
    const int index = hwloc_cpukinds_get_by_cpuset(topology, cpus, 0);
    return index < 0 ? 0 : kinds - 1 - index;
}

int socket_of(hwloc_topology_t topology, hwloc_obj_t core) {
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
    return package ? static_cast<int>(package->logical_index) : 0;
}

int node_of(hwloc_obj_t core) {
    const int first = hwloc_bitmap_first(core->nodeset);
    return core->nodeset && hwloc_bitmap_weight(core->nodeset) == 1 ? first : -1;
}

void read_cores(hwloc_topology_t topology, Topology& result) {
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    result.core_kinds = std::max(1, kinds);
    // A machine whose cores hwloc cannot tell apart has hardware threads only.
    const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
    const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, type, object))) {
        Core core;
        core.cpus = cpus_in(object->cpuset);
        core.socket = socket_of(topology, object);
        core.numa_node = node_of(object);
        core.kind = kind_of(topology, object->cpuset, kinds);
        if (!core.cpus.empty()) result.cores.push_back(core);
    }
}

void read_caches(hwloc_topology_t topology, Topology& result) {
    for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                            HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
        hwloc_obj_t object = nullptr;
        while ((object = hwloc_get_next_obj_by_type(topology, type, object))) {
            const auto& attributes = object->attr->cache;
            if (attributes.size == 0) continue;
            Cache cache;
            cache.level = static_cast<int>(attributes.depth);
            cache.size = Bytes(static_cast<double>(attributes.size));
            cache.line_bytes = static_cast<int>(attributes.linesize);
            // -1 is hwloc's word for a fully associative cache, which no CPU cache here is.
            cache.ways = std::max(0, attributes.associativity);
            const char* inclusive = hwloc_obj_get_info_by_name(object, "Inclusive");
            cache.inclusive = inclusive && inclusive[0] == '1';
            cache.cpus = cpus_in(object->cpuset);
            result.caches.push_back(cache);
        }
    }
}

Topology extract(hwloc_topology_t topology) {
    Topology result;
    result.sockets = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
    read_cores(topology, result);
    read_caches(topology, result);
    result.memory = Bytes(static_cast<double>(hwloc_get_root_obj(topology)->total_memory));
    return result;
}

void restrict_to_this_process(hwloc_topology_t topology) {
    const hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
    if (allowed && hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0 &&
        !hwloc_bitmap_iszero(allowed))
        hwloc_topology_restrict(topology, allowed, 0);
    hwloc_bitmap_free(allowed);
}

/// What the kernel has in all; memory that a hypervisor adds later is in no NUMA node's figure.
Bytes kernel_memory() {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return Bytes(0);
    return Bytes(static_cast<double>(info.totalram) * info.mem_unit);
}

bool contains(const std::vector<int>& values, int value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

Topology read_topology() {
    const Handle topology = new_topology();
    if (hwloc_topology_load(topology.get()) != 0)
        throw not_possible("topology", "hwloc cannot read this machine");
    restrict_to_this_process(topology.get());
    Topology result = extract(topology.get());
    result.memory = std::max(result.memory, kernel_memory());
    if (result.cores.empty()) throw not_possible("topology", "hwloc reports no processor");
    return result;
}

Topology topology_from_xml(const std::string& xml) {
    const Handle topology = new_topology();
    // hwloc counts the terminating zero.
    if (hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(),
                                     static_cast<int>(xml.size() + 1)) != 0 ||
        hwloc_topology_load(topology.get()) != 0)
        throw bad_input("topology", "hwloc XML", "something that hwloc cannot read");
    return extract(topology.get());
}

int Topology::hardware_threads() const {
    std::size_t count = 0;
    for (const Core& core : cores) count += core.cpus.size();
    return static_cast<int>(count);
}

std::vector<int> Topology::cache_levels() const {
    std::set<int> levels;
    for (const Cache& cache : caches) levels.insert(cache.level);
    return {levels.begin(), levels.end()};
}

const Cache* Topology::cache_of(int cpu, int level) const {
    for (const Cache& cache : caches)
        if (cache.level == level && contains(cache.cpus, cpu)) return &cache;
    return nullptr;
}

std::vector<int> binding(const Topology& topology, int threads) {
    std::vector<Core> cores = topology.cores;
    std::stable_sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) {
        return std::pair(a.kind, a.socket) < std::pair(b.kind, b.socket);
    });
    std::size_t most = 0;
    for (const Core& core : cores) most = std::max(most, core.cpus.size());
    std::vector<int> cpus;
    for (std::size_t sibling = 0; sibling < most; ++sibling)
        for (const Core& core : cores)
            if (sibling < core.cpus.size() && cpus.size() < static_cast<std::size_t>(threads))
                cpus.push_back(core.cpus[sibling]);
    return cpus;
}

Bytes share_per_thread(const Topology& topology, int level, const std::vector<int>& cpus) {
    double least = 0;
    for (const int cpu : cpus) {
        const Cache* cache = topology.cache_of(cpu, level);
        if (!cache) return Bytes(0);
        const auto sharers = std::count_if(cpus.begin(), cpus.end(),
                                           [&](int other) { return contains(cache->cpus, other); });
        const double share = cache->size.value() / static_cast<double>(sharers);
        least = least == 0 ? share : std::min(least, share);
    }
    return Bytes(least);
}

Bytes total_in_use(const Topology& topology, int level, const std::vector<int>& cpus) {
    Bytes total;
    for (const Cache& cache : topology.caches)
        if (cache.level == level && std::any_of(cpus.begin(), cpus.end(),
                                                [&](int cpu) { return contains(cache.cpus, cpu); }))
            total += cache.size;
    return total;
}

std::vector<int> thread_counts(int threads) {
    std::vector<int> counts;
    for (int n = 1; n < threads; n *= 2) counts.push_back(n);
    counts.push_back(threads);
    return counts;
}

std::string first_touch_warning(const std::vector<int>& page_nodes,
                                const std::vector<int>& thread_nodes) {
    const std::set<int> pages(page_nodes.begin(), page_nodes.end());
    const std::set<int> threads(thread_nodes.begin(), thread_nodes.end());
    if (pages.size() != 1 || threads.size() < 2) return {};
    return "all pages on node " + std::to_string(*pages.begin()) + ", threads on " +
           std::to_string(threads.size()) + " nodes";
}

}  // namespace ridge::probe
