#include "model/machine/machine_json.hpp"

namespace ridge {
namespace {

Json figure_or_null(const std::optional<Figure>& figure) {
    return figure ? to_json(*figure) : Json(nullptr);
}

Json to_json(const ComputeCeiling& entry) {
    return {{"isa", to_string(entry.isa)},
            {"fma", entry.fma},
            {"dtype", to_string(entry.dtype)},
            {"threads", entry.threads},
            {"flops_per_s", to_json(entry.flops_per_s)},
            {"chain_clock_hz", figure_or_null(entry.chain_clock_hz)},
            {"datasheet_flops_per_s", figure_or_null(entry.datasheet_flops_per_s)},
            {"sustained_flops_per_s", figure_or_null(entry.sustained_flops_per_s)}};
}

Json to_json(const MemoryLevel& level) {
    Json bandwidths = Json::array();
    for (const auto& entry : level.bandwidths)
        bandwidths.push_back({{"kind", to_string(entry.kind)},
                              {"non_temporal", entry.non_temporal},
                              {"threads", entry.threads},
                              {"bytes_per_s", to_json(entry.bytes_per_s)}});
    return {{"name", level.name},
            {"capacity_bytes", figure_or_null(level.capacity_bytes)},
            {"effective_capacity_bytes", figure_or_null(level.effective_capacity_bytes)},
            {"line_bytes", level.line_bytes},
            {"ways", level.ways > 0 ? Json(level.ways) : Json(nullptr)},
            {"shared_by", level.shared_by},
            {"latency_s", figure_or_null(level.latency_s)},
            {"bandwidths", bandwidths}};
}

Json to_json(const Overheads& overheads) {
    Json regions = Json::array();
    for (const auto& [threads, figure] : overheads.parallel_region_s)
        regions.push_back({{"threads", threads}, {"time_s", to_json(figure)}});
    return {{"parallel_region_s", regions},
            {"empty_primitive_s", figure_or_null(overheads.empty_primitive_s)},
            {"sse_transition_s", figure_or_null(overheads.sse_transition_s)}};
}

Json to_json(const QuietLevels& quiet) {
    return {{"fma_flops_per_s", json_number(quiet.fma.value())},
            {"issue_instructions_per_s", json_number(quiet.issue.value())},
            {"clock_hz", json_number(quiet.clock.value())},
            {"windows", quiet.windows},
            {"provisional", quiet.provisional}};
}

Json to_json(const Gpu& gpu) {
    return {{"chip", gpu.chip},
            {"family", gpu.family},
            {"f32_lanes", gpu.f32_lanes},
            {"max_threads", gpu.max_threads},
            {"base_clock_hz", to_json(gpu.base_clock_hz)},
            {"boost_clock_hz", to_json(gpu.boost_clock_hz)},
            {"shared_bytes", to_json(gpu.shared_bytes)},
            {"register_bytes", to_json(gpu.register_bytes)},
            {"board_power_w", figure_or_null(gpu.board_power_w)}};
}

}  // namespace

Json to_json(const Figure& figure) {
    return {{"value", json_number(figure.value)},
            {"source", to_string(figure.source)},
            {"spread", figure.spread >= 0 ? json_number(figure.spread) : Json(nullptr)},
            {"note", figure.note}};
}

Json to_json(const Machine& machine) {
    Json compute = Json::array(), levels = Json::array();
    for (const auto& entry : machine.compute) compute.push_back(to_json(entry));
    for (const auto& level : machine.levels) levels.push_back(to_json(level));
    return {{"name", machine.name},
            {"description", machine.description},
            {"probed_at", machine.probed_at.empty() ? Json(nullptr) : Json(machine.probed_at)},
            {"cpu",
             {{"model", machine.cpu_model},
              {"vendor", machine.vendor},
              {"sockets", machine.sockets},
              {"cores", machine.cores},
              {"threads", machine.threads},
              {"virtualised", machine.virtualised},
              {"isa_flags", machine.isa_flags}}},
            {"gpu", machine.gpu ? to_json(*machine.gpu) : Json(nullptr)},
            {"compute", compute},
            {"levels", levels},
            {"overheads", to_json(machine.overheads)},
            {"quiet", machine.quiet ? to_json(*machine.quiet) : Json(nullptr)}};
}

}  // namespace ridge
