#include "report/machine_tables.hpp"

#include <fmt/format.h>

#include "ridge/format.hpp"

namespace ridge::report {
namespace {

/// A negative spread says that the value was not repeated.
Cell spread(double value) {
    return value < 0 ? Cell::missing() : Cell::number(value * 100, 1);
}

Cell source(Source value) {
    return {std::string(to_string(value))};
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() || word.empty() ? "" : " ") + word;
    return text;
}

std::string gpu_fact(const Machine& machine) {
    const Gpu& gpu = *machine.gpu;
    return fmt::format("{} of {} f32 lanes, chip {} ({}), {:.0f} to {:.0f} MHz{}", machine.cores,
                       gpu.f32_lanes, gpu.chip, gpu.family, gpu.base_clock_hz.value / 1e6,
                       gpu.boost_clock_hz.value / 1e6,
                       gpu.board_power_w ? fmt::format(", {:g} W", gpu.board_power_w->value) : "");
}

}  // namespace

Table compute_table(const Machine& machine) {
    Table table({{.header = "instructions"},
                 {.header = "type"},
                 right("threads"),
                 right("ceiling", "GFLOP/s"),
                 right("spread", "%"),
                 right("datasheet", "GFLOP/s"),
                 right("of datasheet", "%"),
                 right("clock by chain", "GHz"),
                 {.header = "source"},
                 {.header = "note", .shorten_to = 20}});
    for (const auto& c : machine.compute) {
        const bool known = c.datasheet_flops_per_s && c.datasheet_flops_per_s->value > 0;
        table.add_row(
            {fmt::format("{}{}", to_string(c.isa), c.fma ? " FMA" : ""),
             std::string(to_string(c.dtype)), Cell::count(c.threads),
             Cell::number(c.flops_per_s.value / 1e9, 2), spread(c.flops_per_s.spread),
             known ? Cell::number(c.datasheet_flops_per_s->value / 1e9, 2) : Cell::missing(),
             known ? Cell::number(c.flops_per_s.value / c.datasheet_flops_per_s->value * 100, 1)
                   : Cell::missing(),
             c.chain_clock_hz ? Cell::number(c.chain_clock_hz->value / 1e9, 3) : Cell::missing(),
             source(c.flops_per_s.source),
             known ? joined({c.flops_per_s.note, c.datasheet_flops_per_s->note})
                   : c.flops_per_s.note});
    }
    return table;
}

Table bandwidth_table(const Machine& machine) {
    Table table({{.header = "level"},
                 {.header = "access"},
                 right("threads"),
                 right("bandwidth", "GB/s"),
                 right("spread", "%"),
                 {.header = "source"},
                 {.header = "note", .shorten_to = 20}});
    for (const auto& level : machine.levels)
        for (const auto& b : level.bandwidths)
            table.add_row(
                {level.name,
                 fmt::format("{}{}", to_string(b.kind), b.non_temporal ? " (non-temporal)" : ""),
                 Cell::count(b.threads), Cell::number(b.bytes_per_s.value / 1e9, 2),
                 spread(b.bytes_per_s.spread), source(b.bytes_per_s.source), b.bytes_per_s.note});
    return table;
}

Table levels_table(const Machine& machine) {
    Table table({{.header = "level"},
                 right("capacity", "KiB"),
                 right("effective", "KiB"),
                 right("line", "B"),
                 right("ways"),
                 right("shared by", "threads"),
                 right("latency", "ns"),
                 {.header = "source"}});
    const auto kib = [](const std::optional<ridge::Figure>& bytes) {
        return bytes ? Cell::number(bytes->value / 1024, 0) : Cell::missing();
    };
    for (const auto& level : machine.levels)
        table.add_row(
            {level.name, kib(level.capacity_bytes), kib(level.effective_capacity_bytes),
             Cell::count(level.line_bytes),
             level.ways > 0 ? Cell::count(level.ways) : Cell::missing(),
             Cell::count(level.shared_by),
             level.latency_s ? Cell::number(level.latency_s->value * 1e9, 2) : Cell::missing(),
             level.capacity_bytes ? source(level.capacity_bytes->source) : Cell()});
    return table;
}

std::vector<std::pair<std::string, std::string>> machine_facts(const Machine& machine) {
    std::vector<std::pair<std::string, std::string>> facts{
        {"Machine", machine.description.empty()
                        ? machine.name
                        : fmt::format("{}: {}", machine.name, machine.description)},
        {machine.gpu ? "GPU" : "CPU", machine.cpu_model},
        {machine.gpu ? "Multiprocessors" : "Cores",
         machine.gpu
             ? gpu_fact(machine)
             : fmt::format("{} cores, {} threads, {} socket{}{}", machine.cores, machine.threads,
                           machine.sockets, machine.sockets == 1 ? "" : "s",
                           machine.virtualised ? ", virtual" : "")},
        {"Instruction sets", joined(machine.isa_flags)},
        {"Probed", machine.probed_at.empty() ? "written by hand" : machine.probed_at}};
    for (const auto& [threads, cost] : machine.overheads.parallel_region_s)
        facts.emplace_back(
            fmt::format("Parallel region, {} threads", threads),
            fmt::format("{} ({})", format(Seconds(cost.value)), to_string(cost.source)));
    if (const auto& cost = machine.overheads.empty_primitive_s)
        facts.emplace_back("Empty primitive", fmt::format("{} ({})", format(Seconds(cost->value)),
                                                          to_string(cost->source)));
    if (const auto& cost = machine.overheads.sse_transition_s)
        facts.emplace_back(
            "SSE/AVX transition",
            fmt::format("{} ({})", format(Seconds(cost->value)), to_string(cost->source)));
    if (const auto& quiet = machine.quiet)
        facts.emplace_back(
            "Quiet levels",
            fmt::format("{} and {:.4g} G instructions/s, seen in {} windows{}", format(quiet->fma),
                        quiet->issue.value() / 1e9, quiet->windows,
                        quiet->provisional ? " (provisional: too few windows agree)" : ""));
    return facts;
}

std::vector<std::pair<std::string, std::string>> environment_facts(
    const RunInfo& info, const std::optional<StepTime>& step) {
    const Environment& e = info.environment;
    std::string cpus;
    for (const int cpu : e.cpus) cpus += fmt::format("{}{}", cpus.empty() ? "" : ", ", cpu);
    return {{"Run", fmt::format("{}, started {}{}", info.id, info.started_at,
                                info.complete ? "" : ", not complete")},
            {"CPU", e.cpu_model},
            {"Kernel", e.kernel},
            {"Virtualisation", e.virtualisation},
            {"Governor", e.governor},
            {"Library", joined({e.library, e.library_version, e.library_isa})},
            {"Threads", cpus.empty() ? std::to_string(info.threads)
                                     : fmt::format("{}, on CPUs {}", info.threads, cpus)},
            {"Cache state", std::string(to_string(info.state))},
            {"Times belong to", "a core clock of " + format(info.quiet_clock)},
            {"Step time", step ? step->method : "not measured in this run"},
            {"Protocol", info.protocol},
            {"Ridgepoint", fmt::format("{}, {}", e.ridge_version, e.compiler)},
            {"CPU features", joined(e.cpu_flags)}};
}

}  // namespace ridge::report
