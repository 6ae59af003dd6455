#include "apps/ridge/simulate_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "apps/ridge/traced_layer.hpp"
#include "core/files.hpp"
#include "ridge/error.hpp"
#include "ridge/progress.hpp"

namespace ridge::app {
namespace {

/// Touches that the simulator takes in a second, at least (docs/accuracy.md).
constexpr double touches_per_s = 4e7;
constexpr double longest_s = 86400;

int most_threads(const Machine& machine) {
    // One thread per core; a result holds at most 255 of them.
    return std::clamp(machine.cores, 1, 255);
}

std::optional<int> stated_threads(const SimulateCommand& command, const Machine& machine) {
    if (!command.threads) return std::nullopt;
    const std::string& text = *command.threads;
    int threads = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, threads);
    if (error != std::errc{} || rest != end || threads < 1 || threads > most_threads(machine))
        throw bad_input("--threads",
                        fmt::format("1 to the {} cores of {}", most_threads(machine), machine.name),
                        "'" + text + "'");
    return threads;
}

/// Whatever of these was given has no effect on `what`.
void refuse(const SimulateCommand& command, bool pass, bool stream, bool partial,
            const char* what) {
    if (pass && command.pass) throw bad_input("--pass", "a layer to go with it", what);
    if (stream && command.stream) throw bad_input("--stream", "a layer to go with it", what);
    if (partial && command.partial) throw bad_input("--partial", "a trace to go with it", what);
}

/// The stream of the library's real kernel; empty when there is none and `auto` was asked for.
std::unique_ptr<RunSource> traced_stream(const SimulateCommand& command, const Layer& layer,
                                         Pass pass, const HierarchySpec& spec,
                                         std::vector<std::string>& notes) {
    const std::string stream = command.stream.value_or("auto");
    if (stream == "nest" || (stream == "auto" && command.mode == "analytic")) return nullptr;
    const bool must = stream == "traced";
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

Subject trace_subject(const SimulateCommand& command, const Machine& machine) {
    refuse(command, true, true, false, "a trace");
    Subject subject;
    const auto asked = stated_threads(command, machine);
    subject.spec = hierarchy_of(machine, 1);
    auto trace = open_trace(command.what, {.line_bytes = subject.spec.levels.front().line_bytes,
                                           .fetches = subject.spec.instruction.has_value(),
                                           .partial = command.partial});
    const int threads = trace->info().threads;
    if (asked && *asked != threads)
        throw bad_input("--threads",
                        fmt::format("{} as in {}, or no --threads", threads, command.what),
                        std::to_string(*asked));
    if (threads > most_threads(machine))
        throw bad_input(
            command.what,
            fmt::format("at most {} threads, the cores of {}", most_threads(machine), machine.name),
            fmt::format("a trace of {}", threads));
    subject.spec = hierarchy_of(machine, threads);
    subject.trace = trace.get();
    if (trace->read_once() && command.protocol != "cold")
        throw bad_input("--protocol " + command.protocol,
                        "a trace in a file, which can be read twice",
                        command.what == "-" ? "standard input" : "a pipe");
    subject.source = std::move(trace);
    if (!subject.spec.instruction)
        subject.notes.push_back(
            "instruction fetches are left out: machine files describe data and unified caches");
    return subject;
}

Error unknown_subject(const std::string& what) {
    std::string known;
    for (const GeneratorEntry& entry : generators())
        known += fmt::format("{}{}:{}", known.empty() ? "" : ", ", entry.name, entry.parameters);
    return bad_input(what,
                     "a trace file, - (standard input), a layer such as conv:ic3ih8oc4kh3, or a "
                     "generator: " +
                         known,
                     "no such file, layer or generator");
}

Pass pass_of(const SimulateCommand& command) {
    const std::string word = command.pass.value_or("forward");
    const auto pass = pass_from_string(word);
    if (!pass)
        throw bad_input("--pass", "forward, backward, backward_data, backward_weights or update",
                        "\"" + word + "\"");
    return *pass;
}

}  // namespace

Subject subject_of(const SimulateCommand& command, const Machine& machine) {
    const Pass pass = pass_of(command);
    if (command.what == "-" || file_exists(command.what)) return trace_subject(command, machine);
    Subject subject;
    subject.spec = hierarchy_of(machine, stated_threads(command, machine).value_or(1));
    subject.nest = generator_nest(command.what);
    if (subject.nest) {
        refuse(command, true, true, true, "a generator");
    } else {
        const std::string driver = command.what.substr(0, command.what.find(':'));
        if (driver == command.what || !layer_kind_from_string(driver))
            throw unknown_subject(command.what);
        refuse(command, false, false, true, "a layer");
        const Layer layer = parse_layer(command.what);
        subject.nest = nest_of(layer, pass);
        subject.source = traced_stream(command, layer, pass, subject.spec, subject.notes);
        if (subject.source) {
            subject.nest.reset();
            return subject;
        }
        subject.notes.push_back(
            "the loops of a plain direct implementation, not the trace of a library's kernel");
    }
    subject.source =
        make_source(*subject.nest, subject.spec.levels.front().line_bytes, subject.spec.threads);
    return subject;
}

void require_an_end(const SimulateCommand& command, const Subject& subject, TrafficMethod method) {
    if (!subject.nest) return;
    const int line_bytes = subject.spec.levels.front().line_bytes;
    const double all = touches_of(*subject.nest, line_bytes);
    double touches = 0;
    if (method == TrafficMethod::periodic) {
        // A steady state shows after a few iterations at the earliest.
        const double iteration =
            all / static_cast<double>(std::max<std::int64_t>(subject.nest->root.extent, 1));
        touches = std::min(all, 4 * iteration);
    } else if (method != TrafficMethod::analytic) {
        touches = command.protocol == "warm" ? 2 * all : all;
    }
    if (command.curve || !command.save_trace.empty()) touches = std::max(touches, all);
    const double time_s = touches / touches_per_s;
    if (time_s <= longest_s) return;
    std::string faster = "--mode analytic";
    if (method == TrafficMethod::exact || method == TrafficMethod::sampled)
        faster += " or periodic";
    if (touches == all && (command.curve || !command.save_trace.empty()))
        faster = "neither --curve nor --save-trace";
    throw bad_input(command.what,
                    fmt::format("at most {:.2g} touches, about a day of simulation, or {}",
                                longest_s * touches_per_s, faster),
                    fmt::format("{:.2g} touches, about {:.2g} days", touches, time_s / longest_s));
}

SharedSource::SharedSource(Subject& subject, std::vector<RunSink*> copies)
    : source_(*subject.source),
      touches_(subject.nest ? touches_of(*subject.nest, source_.info().line_bytes) : 0),
      name_(source_.info().origin),
      copies_(std::move(copies)) {}

void SharedSource::replay(RunSink& sink) {
    class Shared final : public RunSink {
    public:
        Shared(RunSink& main, const std::vector<RunSink*>& copies, Progress* progress)
            : main_(main), copies_(copies), progress_(progress) {}
        void consume(std::span<const LineRun> chunk) override {
            main_.consume(chunk);
            for (RunSink* copy : copies_) copy->consume(chunk);
            if (!progress_) return;
            for (const LineRun& run : chunk) done_ += run.count;
            progress_->update(done_);
        }

    private:
        RunSink& main_;
        const std::vector<RunSink*>& copies_;
        Progress* progress_;
        double done_ = 0;
    };
    std::optional<Progress> progress;
    if (touches_ > 0) progress.emplace("simulate " + name_, touches_);
    Shared shared(sink, copies_, progress ? &*progress : nullptr);
    source_.replay(shared);
    copies_.clear();
}

std::optional<OuterLoop> SharedSource::outer_loop() const {
    return source_.outer_loop();
}

void SharedSource::replay_part(RunSink& sink, std::uint64_t first, std::uint64_t last) {
    source_.replay_part(sink, first, last);
}

void SharedSource::finish() {
    class Nothing final : public RunSink {
        void consume(std::span<const LineRun> /*chunk*/) override {}
    };
    Nothing nothing;
    if (!copies_.empty()) replay(nothing);
}

}  // namespace ridge::app
