#include <fmt/format.h>

#include <map>

#include "core/words_near.hpp"
#include "core/yaml.hpp"
#include "model/machine/checks.hpp"
#include "model/machine/machine_yaml.hpp"

namespace ridge {
namespace {

constexpr int max_threads = 1 << 20;

/// A word of a fixed vocabulary.
template <class Parse>
auto word(const Yaml& node, Parse parse, const std::vector<std::string>& words) {
    const std::string text = node.text();
    if (const auto value = parse(text)) return *value;
    throw node.wrong("one of " + list_of(words), fmt::format("'{}'", text));
}

Source read_source(const Yaml& node) {
    return word(node, [](const std::string& text) { return source_from_string(text); },
                {"measured", "traced", "simulated", "algorithmic", "given"});
}

Isa read_isa(const Yaml& node) {
    return word(
        node, [](const std::string& text) { return isa_from_string(text); },
        {"scalar", "sse", "avx2", "avx512", "avx512_bf16", "avx512_vnni", "amx", "simt", "tensor"});
}

DataType read_dtype(const Yaml& node) {
    return word(node, [](const std::string& text) { return data_type_from_string(text); },
                {"f64", "f32", "tf32", "f16", "bf16", "s8", "u8", "s32"});
}

AccessKind read_access_kind(const Yaml& node) {
    return word(node, [](const std::string& text) { return access_kind_from_string(text); },
                {"read", "write", "copy", "triad"});
}

/// `{value: 1.5e9, source: measured, spread: 0.01, note: "..."}`, or a plain number that somebody
/// gives without a source.
Figure read_figure(const Yaml& node) {
    Figure figure;
    if (node.is_scalar()) {
        figure.value = node.number();
        return figure;
    }
    node.allow_keys({"value", "source", "spread", "note"});
    figure.value = node.at("value").number();
    figure.source = read_source(node.at("source"));
    if (const auto spread = node.find("spread")) figure.spread = spread->number(0, 10);
    if (const auto note = node.find("note")) figure.note = note->text();
    return figure;
}

std::optional<Figure> find_figure(const Yaml& node, const std::string& key) {
    const auto found = node.find(key);
    if (!found) return std::nullopt;
    return read_figure(*found);
}

int read_count(const Yaml& node, int least = 1) {
    return static_cast<int>(node.integer(least, max_threads));
}

int find_count(const Yaml& node, const std::string& key, int fallback, int least = 1) {
    const auto found = node.find(key);
    return found ? read_count(*found, least) : fallback;
}

std::string find_text(const Yaml& node, const std::string& key) {
    const auto found = node.find(key);
    return found ? found->text() : std::string();
}

void read_cpu(const Yaml& node, Machine& machine) {
    node.allow_keys({"model", "vendor", "sockets", "cores", "threads", "virtualised", "isa_flags"});
    machine.cpu_model = find_text(node, "model");
    machine.vendor = find_text(node, "vendor");
    machine.sockets = find_count(node, "sockets", 1);
    machine.cores = read_count(node.at("cores"));
    machine.threads = find_count(node, "threads", machine.cores);
    if (const auto flag = node.find("virtualised")) machine.virtualised = flag->boolean();
    if (const auto flags = node.find("isa_flags"))
        for (const auto& flag : flags->items()) machine.isa_flags.push_back(flag.text());
}

ComputeCeiling read_ceiling(const Yaml& node) {
    node.allow_keys({"isa", "fma", "dtype", "threads", "flops_per_s", "chain_clock_hz",
                     "datasheet_flops_per_s", "sustained_flops_per_s"});
    ComputeCeiling entry;
    entry.isa = read_isa(node.at("isa"));
    if (const auto fma = node.find("fma")) entry.fma = fma->boolean();
    entry.dtype = read_dtype(node.at("dtype"));
    entry.threads = read_count(node.at("threads"));
    entry.flops_per_s = read_figure(node.at("flops_per_s"));
    entry.chain_clock_hz = find_figure(node, "chain_clock_hz");
    entry.datasheet_flops_per_s = find_figure(node, "datasheet_flops_per_s");
    entry.sustained_flops_per_s = find_figure(node, "sustained_flops_per_s");
    return entry;
}

Bandwidth read_bandwidth(const Yaml& node) {
    node.allow_keys({"kind", "non_temporal", "threads", "bytes_per_s"});
    Bandwidth entry;
    entry.kind = read_access_kind(node.at("kind"));
    if (const auto flag = node.find("non_temporal")) entry.non_temporal = flag->boolean();
    entry.threads = read_count(node.at("threads"));
    entry.bytes_per_s = read_figure(node.at("bytes_per_s"));
    return entry;
}

CacheBehaviour read_behaviour(const Yaml& node) {
    node.allow_keys({"policy", "inclusion", "write_policy", "prefetcher", "hashed",
                     "write_allocate_evasion", "sector_bytes"});
    CacheBehaviour behaviour;
    if (const auto word = node.find("policy")) behaviour.policy = word->text();
    if (const auto word = node.find("inclusion")) behaviour.inclusion = word->text();
    if (const auto word = node.find("write_policy")) behaviour.write_policy = word->text();
    if (const auto word = node.find("prefetcher")) behaviour.prefetcher = word->text();
    if (const auto flag = node.find("hashed")) behaviour.hashed = flag->boolean();
    if (const auto share = node.find("write_allocate_evasion"))
        behaviour.write_allocate_evasion = share->number(0, 1);
    if (node.find("sector_bytes")) behaviour.sector_bytes = read_count(node.at("sector_bytes"));
    return behaviour;
}

MemoryLevel read_level(const Yaml& node) {
    node.allow_keys({"name", "capacity_bytes", "effective_capacity_bytes", "line_bytes", "ways",
                     "shared_by", "latency_s", "bandwidths", "behaviour"});
    MemoryLevel level;
    level.name = node.at("name").text();
    level.capacity_bytes = find_figure(node, "capacity_bytes");
    level.effective_capacity_bytes = find_figure(node, "effective_capacity_bytes");
    level.line_bytes = find_count(node, "line_bytes", level.line_bytes);
    level.ways = find_count(node, "ways", level.ways, 0);
    level.shared_by = read_count(node.at("shared_by"));
    level.latency_s = find_figure(node, "latency_s");
    if (const auto list = node.find("bandwidths"))
        for (const auto& item : list->items()) level.bandwidths.push_back(read_bandwidth(item));
    if (const auto behaviour = node.find("behaviour")) level.behaviour = read_behaviour(*behaviour);
    return level;
}

Overheads read_overheads(const Yaml& node) {
    node.allow_keys({"parallel_region_s", "empty_primitive_s", "sse_transition_s"});
    Overheads overheads;
    overheads.empty_primitive_s = find_figure(node, "empty_primitive_s");
    overheads.sse_transition_s = find_figure(node, "sse_transition_s");
    const auto regions = node.find("parallel_region_s");
    if (!regions) return overheads;
    for (const auto& item : regions->items()) {
        item.allow_keys({"threads", "time_s"});
        const auto at = item.at("threads");
        if (!overheads.parallel_region_s.emplace(read_count(at), read_figure(item.at("time_s")))
                 .second)
            throw at.wrong("each thread count once", at.text() + " twice");
    }
    return overheads;
}

QuietLevels read_quiet(const Yaml& node) {
    node.allow_keys(
        {"fma_flops_per_s", "issue_instructions_per_s", "clock_hz", "windows", "provisional"});
    QuietLevels quiet;
    quiet.fma = FlopsPerSecond(node.at("fma_flops_per_s").number());
    quiet.issue = InstructionsPerSecond(node.at("issue_instructions_per_s").number());
    quiet.clock = Hertz(node.at("clock_hz").number());
    quiet.windows = read_count(node.at("windows"), 0);
    quiet.provisional = node.at("provisional").boolean();
    return quiet;
}

/// A GPU stands in the place of the CPU; its multiprocessors are the machine's cores.
void read_gpu(const Yaml& node, Machine& machine) {
    node.allow_keys({"model", "vendor", "chip", "family", "multiprocessors", "f32_lanes",
                     "max_threads", "base_clock_hz", "boost_clock_hz", "shared_bytes",
                     "register_bytes", "board_power_w"});
    machine.cpu_model = node.at("model").text();
    machine.vendor = node.at("vendor").text();
    machine.cores = machine.threads = read_count(node.at("multiprocessors"));
    Gpu gpu;
    gpu.chip = node.at("chip").text();
    gpu.family = node.at("family").text();
    gpu.f32_lanes = read_count(node.at("f32_lanes"));
    gpu.max_threads = read_count(node.at("max_threads"));
    gpu.base_clock_hz = read_figure(node.at("base_clock_hz"));
    gpu.boost_clock_hz = read_figure(node.at("boost_clock_hz"));
    gpu.shared_bytes = read_figure(node.at("shared_bytes"));
    gpu.register_bytes = read_figure(node.at("register_bytes"));
    gpu.board_power_w = find_figure(node, "board_power_w");
    machine.gpu = gpu;
}

Machine read(const Yaml& file) {
    file.allow_keys({"ridge_machine", "name", "description", "cpu", "gpu", "probed_at", "compute",
                     "levels", "overheads", "quiet"});
    (void)file.at("ridge_machine").integer(machine_format, machine_format);  // the check
    Machine machine;
    machine.name = file.at("name").text();
    machine.description = find_text(file, "description");
    machine.probed_at = find_text(file, "probed_at");
    if (const auto gpu = file.find("gpu")) {
        if (file.find("cpu")) throw gpu->wrong("cpu or gpu", "both");
        read_gpu(*gpu, machine);
    } else {
        read_cpu(file.at("cpu"), machine);
    }
    if (const auto compute = file.find("compute"))
        for (const auto& item : compute->items()) machine.compute.push_back(read_ceiling(item));
    for (const auto& item : file.at("levels").items()) machine.levels.push_back(read_level(item));
    if (const auto node = file.find("overheads")) machine.overheads = read_overheads(*node);
    if (const auto node = file.find("quiet")) machine.quiet = read_quiet(*node);
    return machine;
}

/// Place of every key by its path, for errors about numbers that are wrong only together.
void collect_places(const Yaml& node, const std::string& path,
                    std::map<std::string, std::string>& places) {
    places.emplace(path, node.where());
    if (node.is_map())
        for (const auto& [key, value] : node.entries())
            collect_places(value, path.empty() ? key : path + "." + key, places);
    if (node.is_list()) {
        const auto items = node.items();
        for (std::size_t i = 0; i < items.size(); ++i)
            collect_places(items[i], fmt::format("{}[{}]", path, i), places);
    }
}

/// The place of a path, or of the nearest thing around it that the file has.
std::string place_of(std::string path, const std::map<std::string, std::string>& places) {
    while (!places.contains(path)) {
        const auto cut = path.find_last_of(".[");
        path = cut == std::string::npos ? "" : path.substr(0, cut);
    }
    return places.at(path);
}

}  // namespace

Machine machine_from_yaml(const std::string& text, const std::string& file) {
    const Yaml yaml = Yaml::parse(text, file);
    Machine machine = read(yaml);
    for (const auto& finding : check_machine(machine)) {
        if (!finding.impossible) continue;
        std::map<std::string, std::string> places;
        collect_places(yaml, "", places);
        throw bad_input(place_of(finding.where, places), finding.expected, finding.found);
    }
    return machine;
}

}  // namespace ridge
