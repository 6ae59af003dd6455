// ridge simulate: bytes per memory level of a layer, a trace or a generator on a machine file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/simulate_subject.hpp"
#include "report/terminal.hpp"
#include "report/traffic_view.hpp"
#include "ridge/format.hpp"

namespace ridge::app {
namespace {

template <class Enum>
Enum word(const std::string& text, std::optional<Enum> (*parse)(std::string_view),
          const char* option, const char* expected) {
    const auto value = parse(text);
    if (!value) throw bad_input(option, expected, "\"" + text + "\"");
    return *value;
}

/// Method and protocol with what belongs to them.
SimulateOptions options_of(const SimulateCommand& command) {
    SimulateOptions options;
    options.method = word(command.mode, traffic_method_from_string, "--mode",
                          "exact, sampled, periodic or analytic");
    options.protocol =
        word(command.protocol, cache_state_from_string, "--protocol", "cold, warm or in_step");
    const auto needs = [&](bool given, const char* option, TrafficMethod method) {
        if (given && options.method != method)
            throw bad_input(option, fmt::format("--mode {} to go with it", to_string(method)),
                            "--mode " + command.mode);
    };
    needs(command.groups.has_value(), "--groups", TrafficMethod::sampled);
    needs(command.seed.has_value(), "--seed", TrafficMethod::sampled);
    needs(command.tolerance.has_value(), "--tolerance", TrafficMethod::periodic);
    options.seed = command.seed.value_or(options.seed);
    options.sampled_groups = command.groups.value_or(options.sampled_groups);
    options.tolerance = command.tolerance.value_or(options.tolerance);
    return options;
}

Traffic traffic_of(const SimulateOptions& options, const Subject& subject, RunSource& source) {
    if (options.method != TrafficMethod::analytic) return simulate(source, subject.spec, options);
    if (!subject.nest)
        throw bad_input("--mode", "exact, sampled or periodic for a trace or traced kernel",
                        "analytic");
    if (options.protocol != CacheState::cold)
        throw bad_input("--protocol", "cold with --mode analytic",
                        std::string(to_string(options.protocol)));
    return analyse_nest(*subject.nest, subject.spec);
}

/// From a quarter of the first level to twice the last one, and the levels themselves.
std::vector<std::uint64_t> curve_capacities(const HierarchySpec& spec) {
    std::vector<std::uint64_t> capacities;
    for (std::uint64_t bytes = spec.levels.front().capacity_bytes / 4;
         bytes <= 2 * spec.levels.back().capacity_bytes; bytes *= 2)
        capacities.push_back(bytes);
    for (const CacheSpec& level : spec.levels) capacities.push_back(level.capacity_bytes);
    std::sort(capacities.begin(), capacities.end());
    capacities.erase(std::unique(capacities.begin(), capacities.end()), capacities.end());
    return capacities;
}

void print(const Traffic& traffic, const std::vector<MissRatioPoint>& curve,
           const HierarchySpec& spec) {
    const auto terminal = report::terminal(1);
    const report::TextOptions text{.width = terminal.width, .colour = terminal.colour};
    std::fputs(report::traffic_summary(traffic).c_str(), stdout);
    std::fputs(report::traffic_table(traffic).text(text).c_str(), stdout);
    std::fputs(
        "An access counts once in each line that it touches, a modify as a load and a store.\n",
        stdout);
    const report::Table tensors = report::tensor_table(traffic);
    if (!tensors.rows().empty()) std::fputs(("\n" + tensors.text(text)).c_str(), stdout);
    if (curve.empty()) return;
    std::fputs(
        ("\nOne fully associative LRU cache in the place of all; \"level\" marks the capacities "
         "of the machine:\n" +
         report::curve_table(curve, spec).text(text))
            .c_str(),
        stdout);
}

bool same_caches(const Machine& a, const Machine& b) {
    for (std::size_t i = 0; i + 1 < std::min(a.levels.size(), b.levels.size()); ++i)
        if (a.levels[i].ways != b.levels[i].ways ||
            (a.levels[i].capacity_bytes && b.levels[i].capacity_bytes &&
             a.levels[i].capacity_bytes->value != b.levels[i].capacity_bytes->value))
            return false;
    return true;
}

ExitCode run(const SimulateCommand& command) {
    if (command.stream && *command.stream != "auto" && *command.stream != "traced" &&
        *command.stream != "nest")
        throw bad_input("--stream", "auto, traced or nest", "\"" + *command.stream + "\"");
    const SimulateOptions options = options_of(command);
    Machine machine = load_machine(command.machine);
    std::vector<std::string> idle;
    for (const std::string& change : command.changes) {
        const Machine before = machine;
        apply_what_if(machine, change);
        if (same_caches(before, machine)) idle.push_back(change);
    }
    Subject subject = subject_of(command, machine);
    for (const std::string& change : idle)
        subject.notes.push_back(fmt::format("--set {} changes no cache, and so no bytes", change));
    require_an_end(command, subject, options.method);
    // Opened first: a name that cannot be written is found out before the work, and what stops the
    // work leaves no trace file.
    std::vector<RunSink*> copies;
    std::optional<TraceWriter> writer;
    if (!command.save_trace.empty())
        copies.push_back(&writer.emplace(command.save_trace, subject.source->info()));
    std::optional<MissRatioCurve> curve;
    if (command.curve)
        copies.push_back(
            &curve.emplace(subject.source->info().line_bytes, curve_capacities(subject.spec)));
    SharedSource source(subject, copies);
    Traffic traffic = traffic_of(options, subject, source);
    source.finish();
    if (writer) writer->close();
    traffic.notes.insert(traffic.notes.end(), subject.notes.begin(), subject.notes.end());
    if (subject.trace && !subject.trace->damage().empty())
        traffic.notes.push_back("partial: " + subject.trace->damage());
    const auto points = curve ? curve->points() : std::vector<MissRatioPoint>{};

    if (!command.json) {
        print(traffic, points, subject.spec);
        return ExitCode::done;
    }
    Json json = report::to_json(traffic);
    if (curve) json["miss_ratio_curve"] = report::to_json(points, subject.spec);
    std::printf("%s\n", json.dump(2).c_str());
    return ExitCode::done;
}

}  // namespace

void add_simulate(Verb& app, Action& action) {
    auto options = std::make_shared<SimulateCommand>();
    auto* verb = app.add_subcommand("simulate", "bytes per memory level on a machine file");
    std::string footer =
        "Example:\n  ridge simulate conv:mb16ic64ih56oc64oh56kh3ph1 --machine "
        "xeon-platinum-8180 --mode periodic\n"
        "  ridge simulate sweep:bytes=48KiB,passes=10 --machine xeon-platinum-8180 --curve\n"
        "  valgrind --tool=lackey --trace-mem=yes PROGRAM 2>&1 >/dev/null |\n"
        "    ridge simulate - --machine xeon-platinum-8180\n\n"
        "Generators ([...] may be left out, with the value shown or none):\n";
    for (const GeneratorEntry& entry : generators())
        footer += fmt::format("  {}:{}  {}\n", entry.name, entry.parameters, entry.description);
    verb->footer(footer);
    verb->add_option("what", options->what,
                     "a layer line, a trace (lackey text, CSV, ridge's own; gzip and zstd are "
                     "recognised; - is standard input) or a generator")
        ->required();
    verb->add_option("--machine", options->machine, "machine file, by name or path")
        ->capture_default_str();
    verb->add_option("--set", options->changes, "what-if on the machine, l2.capacity=2x");
    verb->add_option("--threads", options->threads,
                     "threads, one per core (default: 1, or as the trace says)");
    verb->add_option("--pass", options->pass, "pass of the layer (default: forward)");
    verb->add_option("--stream", options->stream,
                     "of a layer: traced, the library's real kernel; nest, the loops of a plain "
                     "direct implementation; auto (default), traced where that is possible");
    verb->add_option("--mode", options->mode, "exact, sampled, periodic or analytic")
        ->capture_default_str();
    verb->add_option("--protocol", options->protocol, "caches before: cold, warm or in_step")
        ->capture_default_str();
    verb->add_option("--groups", options->groups,
                     "groups of lines in the sampled mode (default: 16)")
        ->check(whole_number(2, 64));
    verb->add_option("--seed", options->seed, "of the sampled mode (default: 1)")
        ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
    verb->add_option("--tolerance", options->tolerance,
                     "steady state of the periodic mode (default: 0.001)")
        ->check([](const std::string& text) -> std::string {
            double value = -1;
            const char* end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc{} && rest == end && value >= 0 && value <= 0.1) return {};
            return "expected a number from 0 to 0.1, found '" + text + "'";
        });
    verb->add_flag("--curve", options->curve, "misses for many capacities of one cache");
    verb->add_flag("--partial", options->partial, "use a damaged trace up to the damage");
    verb->add_option("--save-trace", options->save_trace, "write the touches in ridge's own form");
    verb->add_flag("--json", options->json, "print JSON");
    verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace ridge::app
