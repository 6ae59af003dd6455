// What `ridge simulate` works on: the loops of a layer or generator, a traced kernel, or a trace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/ridge/simulate_options.hpp"
#include "ridge/cachesim.hpp"
#include "ridge/loop_nest.hpp"
#include "ridge/machine.hpp"
#include "ridge/trace_file.hpp"

namespace ridge::app {

struct Subject {
    HierarchySpec spec;            ///< for the threads of the stream
    std::optional<LoopNest> nest;  ///< of a generator or of a layer that is not traced
    std::unique_ptr<RunSource> source;
    TraceReader* trace = nullptr;  ///< the source, when it is a trace
    std::vector<std::string> notes;
};

/// Throws Error bad_input for what cannot be told, and for options that have no effect on it.
[[nodiscard]] Subject subject_of(const SimulateCommand& command, const Machine& machine);

/// Throws Error bad_input, with the time it would take, for what would run longer than a day.
void require_an_end(const SimulateCommand& command, const Subject& subject, TrafficMethod method);

/// The stream with what else wants to see it: the first replay goes to `copies` too, so that a
/// trace that comes through a pipe is enough for all of them, and shows how far it is.
class SharedSource final : public RunSource {
public:
    SharedSource(Subject& subject, std::vector<RunSink*> copies);
    [[nodiscard]] const TraceInfo& info() const override { return source_.info(); }
    void replay(RunSink& sink) override;
    [[nodiscard]] std::optional<OuterLoop> outer_loop() const override;
    void replay_part(RunSink& sink, std::uint64_t first, std::uint64_t last) override;
    /// Runs the stream for the copies where no replay has served them yet.
    void finish();

private:
    RunSource& source_;
    double touches_;  ///< known before; 0: not known
    std::string name_;
    std::vector<RunSink*> copies_;
};

}  // namespace ridge::app
