// ridge simulate: bytes per memory level of a layer, a trace or a generator on a machine file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/traced_layer.hpp"
#include "core/files.hpp"
#include "report/terminal.hpp"
#include "report/traffic_view.hpp"
#include "ridge/format.hpp"
#include "ridge/loop_nest.hpp"
#include "ridge/trace_file.hpp"

namespace ridge::app {
namespace {

struct Options {
    std::string what;
    std::string machine = "local";
    std::string pass, mode = "exact", protocol = "cold", stream = "auto";
    std::vector<std::string> changes;
    std::string save_trace;
    int threads = 1;
    int groups = 16;
    std::uint64_t seed = 1;
    double tolerance = 1e-3;
    bool json = false, partial = false, curve = false;
};

template <class Enum>
Enum word(const std::string& text, std::optional<Enum> (*parse)(std::string_view),
          const char* option, const char* expected) {
    const auto value = parse(text);
    if (!value) throw bad_input(option, expected, "\"" + text + "\"");
    return *value;
}

/// What is to be simulated: a nest (layer or generator) or a trace.
struct Subject {
    std::optional<LoopNest> nest;
    std::unique_ptr<RunSource> source;
    TraceReader* trace = nullptr;
    std::vector<std::string> notes;
};

/// The stream of the library's real kernel; empty when there is none and `auto` was asked for.
std::unique_ptr<RunSource> traced_stream(const Options& options, const Layer& layer, Pass pass,
                                         const HierarchySpec& spec,
                                         std::vector<std::string>& notes) {
    if (options.stream == "nest" || (options.stream == "auto" && options.mode == "analytic"))
        return nullptr;
    const bool must = options.stream == "traced";
    std::string reason = tracer_unavailable();
    if (reason.empty() && spec.levels.front().line_bytes != 64)
        reason = "its lines have 64 bytes, those of the machine file have others";
    if (must && !reason.empty()) throw not_possible("--stream traced", reason);
    if (reason.empty()) {
        auto source = std::make_unique<TracedSource>(
            std::make_shared<TracedLayer>(layer, spec.threads), pass);
        reason = source->unavailable();
        if (reason.empty()) {
            notes.push_back(
                fmt::format("the traced stream of the kernel that the library chose on this "
                            "processor: {}",
                            source->description().implementation));
            return source;
        }
        if (must) throw job_failed("--stream traced", reason);
    }
    notes.push_back("no traced stream: " + reason);
    return nullptr;
}

Subject subject_of(const Options& options, const HierarchySpec& spec) {
    const int line_bytes = spec.levels.front().line_bytes;
    Subject subject;
    const Pass pass =
        word(options.pass.empty() ? "forward" : options.pass, pass_from_string, "--pass",
             "forward, backward, backward_data, backward_weights or update");
    const auto require_no_pass = [&options](const char* found) {
        if (!options.pass.empty()) throw bad_input("--pass", "a layer to go with it", found);
    };
    if (file_exists(options.what)) {
        require_no_pass("a trace");
        auto trace = open_trace(options.what, {.line_bytes = line_bytes,
                                               .fetches = spec.instruction.has_value(),
                                               .partial = options.partial});
        subject.trace = trace.get();
        subject.source = std::move(trace);
        if (!spec.instruction)
            subject.notes.push_back(
                "instruction fetches are left out: machine files describe data "
                "and unified caches");
        return subject;
    }
    subject.nest = generator_nest(options.what);
    if (!subject.nest) {
        if (options.what.find(':') == std::string::npos)
            throw bad_input(options.what, "a layer, a trace file or a generator",
                            "neither a file nor \"name:parameters\"");
        const Layer layer = parse_layer(options.what);
        subject.nest = nest_of(layer, pass);
        subject.source = traced_stream(options, layer, pass, spec, subject.notes);
        if (subject.source) {
            subject.nest.reset();
            return subject;
        }
        subject.notes.push_back(
            "the loops of a plain direct implementation, not the trace of a library's kernel");
    } else {
        require_no_pass("a generator");
    }
    subject.source = make_source(*subject.nest, line_bytes, spec.threads);
    return subject;
}

Traffic traffic_of(const Options& options, const HierarchySpec& spec, Subject& subject) {
    const TrafficMethod method = word(options.mode, traffic_method_from_string, "--mode",
                                      "exact, sampled, periodic or analytic");
    const CacheState protocol =
        word(options.protocol, cache_state_from_string, "--protocol", "cold, warm or in_step");
    if (method == TrafficMethod::analytic) {
        if (!subject.nest)
            throw bad_input("--mode", "exact, sampled or periodic for a trace or traced kernel",
                            "analytic");
        if (protocol != CacheState::cold)
            throw bad_input("--protocol", "cold with --mode analytic", options.protocol);
        return analyse_nest(*subject.nest, spec);
    }
    return simulate(*subject.source, spec,
                    {.method = method,
                     .protocol = protocol,
                     .seed = options.seed,
                     .sampled_groups = options.groups,
                     .tolerance = options.tolerance});
}

/// From a quarter of the first level to twice the last one.
std::vector<MissRatioPoint> curve_of(const HierarchySpec& spec, RunSource& source) {
    std::vector<std::uint64_t> capacities;
    for (std::uint64_t bytes = spec.levels.front().capacity_bytes / 4;
         bytes <= 2 * spec.levels.back().capacity_bytes; bytes *= 2)
        capacities.push_back(bytes);
    return miss_ratio_curve(source, capacities);
}

void print(const Traffic& traffic, const std::vector<MissRatioPoint>& curve) {
    const auto terminal = report::terminal(1);
    const report::TextOptions text{.width = terminal.width, .colour = terminal.colour};
    std::fputs(report::traffic_summary(traffic).c_str(), stdout);
    std::fputs(report::traffic_table(traffic).text(text).c_str(), stdout);
    const report::Table tensors = report::tensor_table(traffic);
    if (!tensors.rows().empty()) std::fputs(("\n" + tensors.text(text)).c_str(), stdout);
    if (curve.empty()) return;
    report::Table table(
        {report::right("capacity"), report::right("misses"), report::right("ratio", "%")});
    for (const MissRatioPoint& point : curve)
        table.add_row({format_iec(Bytes(static_cast<double>(point.capacity_bytes))),
                       report::Cell::number(point.misses, 0),
                       report::Cell::number(100 * point.ratio, 2)});
    std::fputs(("\nfully associative LRU, one pass:\n" + table.text(text)).c_str(), stdout);
}

ExitCode run(const Options& options) {
    if (options.stream != "auto" && options.stream != "traced" && options.stream != "nest")
        throw bad_input("--stream", "auto, traced or nest", "\"" + options.stream + "\"");
    Machine machine = load_machine(options.machine);
    for (const std::string& change : options.changes) apply_what_if(machine, change);
    // One thread per core; a result holds at most 255 of them.
    const int most_threads = std::clamp(machine.cores, 1, 255);
    if (options.threads < 1 || options.threads > most_threads)
        throw bad_input("--threads",
                        fmt::format("1 to the {} cores of {}", most_threads, machine.name),
                        std::to_string(options.threads));
    const HierarchySpec spec = hierarchy_of(machine, options.threads);
    Subject subject = subject_of(options, spec);
    // Opened first: a name that cannot be written is found out before the work, and what stops the
    // work leaves no trace file.
    std::optional<TraceWriter> writer;
    if (!options.save_trace.empty()) writer.emplace(options.save_trace, subject.source->info());
    Traffic traffic = traffic_of(options, spec, subject);
    if (writer) {
        subject.source->replay(*writer);
        writer->close();
    }
    traffic.notes.insert(traffic.notes.end(), subject.notes.begin(), subject.notes.end());
    if (subject.trace && !subject.trace->damage().empty())
        traffic.notes.push_back("partial: " + subject.trace->damage());
    std::vector<MissRatioPoint> curve;
    if (options.curve) curve = curve_of(spec, *subject.source);

    if (!options.json) {
        print(traffic, curve);
        return ExitCode::done;
    }
    Json json = report::to_json(traffic);
    if (options.curve) json["miss_ratio_curve"] = report::to_json(curve);
    std::printf("%s\n", json.dump(2).c_str());
    return ExitCode::done;
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    auto* verb = app.add_subcommand("simulate", "bytes per memory level on a machine file");
    std::string footer =
        "Example:\n  ridge simulate conv:mb16ic64ih56oc64oh56kh3ph1 --machine "
        "xeon-platinum-8180 --mode periodic\n\nGenerators:\n";
    for (const GeneratorEntry& entry : generators())
        footer += fmt::format("  {}:{}  {}\n", entry.name, entry.parameters, entry.description);
    verb->footer(footer);
    verb->add_option("what", options->what,
                     "a layer line, a trace (lackey text, CSV, ridge's own; gzip and zstd are "
                     "recognised) or a generator")
        ->required();
    verb->add_option("--machine", options->machine, "machine file, by name or path")
        ->capture_default_str();
    verb->add_option("--set", options->changes, "what-if on the machine, l2.capacity=2x");
    verb->add_option("--threads", options->threads, "threads, one per core")->capture_default_str();
    verb->add_option("--pass", options->pass, "pass of the layer (default: forward)");
    verb->add_option("--stream", options->stream,
                     "of a layer: traced, the library's real kernel; nest, the loops of a plain "
                     "direct implementation; auto, traced where that is possible")
        ->capture_default_str();
    verb->add_option("--mode", options->mode, "exact, sampled, periodic or analytic")
        ->capture_default_str();
    verb->add_option("--protocol", options->protocol, "caches before: cold, warm or in_step")
        ->capture_default_str();
    verb->add_option("--groups", options->groups, "groups of lines in the sampled mode")
        ->capture_default_str();
    verb->add_option("--seed", options->seed, "of the sampled mode")
        ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    verb->add_option("--tolerance", options->tolerance, "steady state of the periodic mode")
        ->check([](const std::string& text) -> std::string {
            double value = -1;
            const char* end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc{} && rest == end && value >= 0 && value <= 0.1) return {};
            return "expected a number from 0 to 0.1, found '" + text + "'";
        })
        ->capture_default_str();
    verb->add_flag("--curve", options->curve, "misses for many capacities, in a second pass");
    verb->add_flag("--partial", options->partial, "use a damaged trace up to the damage");
    verb->add_option("--save-trace", options->save_trace, "write the touches in ridge's own form");
    verb->add_flag("--json", options->json, "print JSON");
    verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace ridge::app
