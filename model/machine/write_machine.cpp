#include <fmt/format.h>

#include "model/machine/machine_yaml.hpp"

namespace ridge {
namespace {

/// Always quoted: no text can turn into a number, a comment or a key.
std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20)
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            result += c;
    }
    return result + "\"";
}

/// The shortest number that reads back to the same double.
std::string figure(const Figure& f) {
    std::string text = fmt::format("{{value: {}, source: {}", f.value, to_string(f.source));
    if (f.spread >= 0) text += fmt::format(", spread: {}", f.spread);
    if (!f.note.empty()) text += ", note: " + quoted(f.note);
    return text + "}";
}

void add_figure(std::string& out, std::string_view indent, std::string_view key,
                const std::optional<Figure>& f) {
    if (f) out += fmt::format("{}{}: {}\n", indent, key, figure(*f));
}

void add_compute(std::string& out, const Machine& machine) {
    if (machine.compute.empty()) return;
    out += "\ncompute:\n";
    for (const auto& entry : machine.compute) {
        out += fmt::format("  - isa: {}\n    fma: {}\n    dtype: {}\n    threads: {}\n",
                           to_string(entry.isa), entry.fma, to_string(entry.dtype), entry.threads);
        add_figure(out, "    ", "flops_per_s", entry.flops_per_s);
        add_figure(out, "    ", "chain_clock_hz", entry.chain_clock_hz);
        add_figure(out, "    ", "datasheet_flops_per_s", entry.datasheet_flops_per_s);
        add_figure(out, "    ", "sustained_flops_per_s", entry.sustained_flops_per_s);
    }
}

void add_behaviour(std::string& out, const CacheBehaviour& behaviour) {
    if (behaviour == CacheBehaviour{}) return;
    out += "    behaviour:\n";
    const auto text = [&](const char* key, const std::optional<std::string>& word) {
        if (word) out += fmt::format("      {}: {}\n", key, quoted(*word));
    };
    text("policy", behaviour.policy);
    text("inclusion", behaviour.inclusion);
    text("write_policy", behaviour.write_policy);
    text("prefetcher", behaviour.prefetcher);
    if (behaviour.hashed) out += fmt::format("      hashed: {}\n", *behaviour.hashed);
    if (behaviour.write_allocate_evasion)
        out += fmt::format("      write_allocate_evasion: {}\n", *behaviour.write_allocate_evasion);
    if (behaviour.sector_bytes)
        out += fmt::format("      sector_bytes: {}\n", *behaviour.sector_bytes);
}

void add_levels(std::string& out, const Machine& machine) {
    out += machine.levels.empty() ? "\nlevels: []\n" : "\nlevels:\n";
    for (const auto& level : machine.levels) {
        out += fmt::format("  - name: {}\n", quoted(level.name));
        add_figure(out, "    ", "capacity_bytes", level.capacity_bytes);
        add_figure(out, "    ", "effective_capacity_bytes", level.effective_capacity_bytes);
        out += fmt::format("    line_bytes: {}\n    ways: {}\n    shared_by: {}\n",
                           level.line_bytes, level.ways, level.shared_by);
        add_figure(out, "    ", "latency_s", level.latency_s);
        add_behaviour(out, level.behaviour);
        if (!level.bandwidths.empty()) out += "    bandwidths:\n";
        for (const auto& entry : level.bandwidths)
            out += fmt::format(
                "      - {{kind: {}, non_temporal: {}, threads: {},\n         bytes_per_s: {}}}\n",
                to_string(entry.kind), entry.non_temporal, entry.threads,
                figure(entry.bytes_per_s));
    }
}

void add_overheads(std::string& out, const Overheads& overheads) {
    if (overheads == Overheads{}) return;
    out += "\noverheads:\n";
    if (!overheads.parallel_region_s.empty()) out += "  parallel_region_s:\n";
    for (const auto& [threads, f] : overheads.parallel_region_s)
        out += fmt::format("    - {{threads: {}, time_s: {}}}\n", threads, figure(f));
    add_figure(out, "  ", "empty_primitive_s", overheads.empty_primitive_s);
    add_figure(out, "  ", "sse_transition_s", overheads.sse_transition_s);
}

void add_cpu(std::string& out, const Machine& machine) {
    out += "\ncpu:\n";
    if (!machine.cpu_model.empty()) out += fmt::format("  model: {}\n", quoted(machine.cpu_model));
    if (!machine.vendor.empty()) out += fmt::format("  vendor: {}\n", quoted(machine.vendor));
    out += fmt::format("  sockets: {}\n  cores: {}\n  threads: {}\n  virtualised: {}\n",
                       machine.sockets, machine.cores, machine.threads, machine.virtualised);
    std::string flags;
    for (const auto& flag : machine.isa_flags) flags += (flags.empty() ? "" : ", ") + quoted(flag);
    if (!flags.empty()) out += fmt::format("  isa_flags: [{}]\n", flags);
}

void add_gpu(std::string& out, const Machine& machine) {
    const Gpu& gpu = *machine.gpu;
    out += fmt::format("\ngpu:\n  model: {}\n  vendor: {}\n  chip: {}\n  family: {}\n",
                       quoted(machine.cpu_model), quoted(machine.vendor), quoted(gpu.chip),
                       quoted(gpu.family));
    out += fmt::format("  multiprocessors: {}\n  f32_lanes: {}\n  max_threads: {}\n", machine.cores,
                       gpu.f32_lanes, gpu.max_threads);
    add_figure(out, "  ", "base_clock_hz", gpu.base_clock_hz);
    add_figure(out, "  ", "boost_clock_hz", gpu.boost_clock_hz);
    add_figure(out, "  ", "shared_bytes", gpu.shared_bytes);
    add_figure(out, "  ", "register_bytes", gpu.register_bytes);
    add_figure(out, "  ", "board_power_w", gpu.board_power_w);
}

}  // namespace

std::string machine_to_yaml(const Machine& machine) {
    std::string out = "# A machine for ridge; docs/formats.md tells what each key means.\n";
    out += fmt::format("ridge_machine: {}\nname: {}\n", machine_format, quoted(machine.name));
    if (!machine.description.empty())
        out += fmt::format("description: {}\n", quoted(machine.description));
    if (!machine.probed_at.empty())
        out += fmt::format("probed_at: {}\n", quoted(machine.probed_at));
    machine.gpu ? add_gpu(out, machine) : add_cpu(out, machine);
    add_compute(out, machine);
    add_levels(out, machine);
    add_overheads(out, machine.overheads);
    if (machine.quiet)
        out += fmt::format(
            "\nquiet:\n  fma_flops_per_s: {}\n  issue_instructions_per_s: {}\n  clock_hz: {}\n"
            "  windows: {}\n  provisional: {}\n",
            machine.quiet->fma.value(), machine.quiet->issue.value(), machine.quiet->clock.value(),
            machine.quiet->windows, machine.quiet->provisional);
    return out;
}

}  // namespace ridge
