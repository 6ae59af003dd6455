#include "collectors/papi/software_events.hpp"

#include <sde_lib.h>

#include <array>

namespace ridge::papi {
namespace {

/// A total by name; counts are whole numbers, which is what an event can hold.
struct Total {
    const char* name;
    double (*value)(const KernelCounts&);
};
constexpr std::array totals{
    Total{"instructions", [](const KernelCounts& c) { return c.instructions; }},
    Total{"flops_f32", [](const KernelCounts& c) { return c.flops_f32; }},
    Total{"flops_f64", [](const KernelCounts& c) { return c.flops_f64; }},
    Total{"flops_f16", [](const KernelCounts& c) { return c.flops_f16; }},
    Total{"flops_bf16", [](const KernelCounts& c) { return c.flops_bf16; }},
    Total{"integer_ops", [](const KernelCounts& c) { return c.integer_ops; }},
    Total{"masked_lanes", [](const KernelCounts& c) { return c.masked_lanes; }},
    Total{"scalar_load_bytes", [](const KernelCounts& c) { return c.scalar_loads.bytes; }},
    Total{"scalar_store_bytes", [](const KernelCounts& c) { return c.scalar_stores.bytes; }},
    Total{"vector_load_bytes", [](const KernelCounts& c) { return c.vector_loads.bytes; }},
    Total{"broadcast_load_bytes", [](const KernelCounts& c) { return c.broadcast_loads.bytes; }},
    Total{"vector_store_bytes", [](const KernelCounts& c) { return c.vector_stores.bytes; }},
    Total{"non_temporal_store_bytes",
          [](const KernelCounts& c) { return c.non_temporal_stores.bytes; }},
    Total{"prefetches", [](const KernelCounts& c) { return c.prefetches; }},
    Total{"sse_transitions", [](const KernelCounts& c) { return c.sse_transitions; }},
};

/// libsde's registry is one per process, and event sets may hold its counters until the end:
/// libsde 1.0 frees memory twice when a library whose counters were withdrawn shuts down. So the
/// events are registered once and stay.
struct Registry {
    papi_handle_t library = papi_sde_init("ridge");
    std::array<long long, totals.size()> values{};
    Registry() {
        for (std::size_t i = 0; i < totals.size(); ++i)
            papi_sde_register_counter(library, totals[i].name, PAPI_SDE_RO | PAPI_SDE_DELTA,
                                      PAPI_SDE_long_long, &values[i]);
    }
};

Registry& registry() {
    static auto* events = new Registry;  // lives as long as the process
    return *events;
}

}  // namespace

SoftwareEvents::SoftwareEvents() {
    (void)registry();
}

std::string SoftwareEvents::unavailable() const {
    return registry().library == nullptr ? "libsde does not start" : "";
}

void SoftwareEvents::add(const KernelCounts& counts) {
    for (std::size_t i = 0; i < totals.size(); ++i)
        registry().values[i] += static_cast<long long>(totals[i].value(counts));
}

}  // namespace ridge::papi
