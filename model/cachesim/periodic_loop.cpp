// Periodic mode of a stream that knows its outer loop: its iterations are simulated until a steady
// state is reached, and those that follow are neither simulated nor made.
#include <fmt/format.h>

#include <algorithm>

#include "model/cachesim/modes.hpp"
#include "model/cachesim/result.hpp"
#include "model/cachesim/steady_state.hpp"

namespace ridge::cachesim {
namespace {

/// A period shorter than this costs more to watch than to simulate.
constexpr double least_touches = 16384;
constexpr std::uint64_t least_periods = 16, wanted_periods = 64;

class Touches final : public RunSink {
public:
    void consume(std::span<const LineRun> chunk) override {
        for (const LineRun& run : chunk) sum += run.count;
    }
    double sum = 0;
};

class LoopSimulator {
public:
    LoopSimulator(RunSource& source, const OuterLoop& loop, const HierarchySpec& spec,
                  double tolerance)
        : source_(source),
          spec_(spec),
          loop_(loop),
          tolerance_(tolerance),
          map_(source.info().regions, source.info().line_bytes),
          length_(period_length()),
          hierarchy_(spec, source.info()) {}

    Hierarchy& hierarchy() { return hierarchy_; }

    /// Once through the whole loop. `leave_caches` brings them up to date for what comes after.
    Traffic run(bool leave_caches) {
        Period period;
        period.length = length_;
        const auto steps = static_cast<std::int64_t>(length_ / loop_.step);
        for (const std::int64_t shift : loop_.shift) period.shift.push_back(shift * steps);
        // Nothing lies outside the regions: what does may move with any of them.
        period.shift.resize(map_.size(), period.shift.front());
        SteadyState watch(hierarchy_, spec_, source_.info(), map_, period, tolerance_);
        std::optional<Steady> steady;
        std::uint64_t done = 0, skipped = 0;
        while (!steady && done + length_ <= loop_.uniform) {
            simulate(done, done + length_);
            done += length_;
            watch.period_ended();
            steady = watch.verdict();
        }
        std::optional<Traffic> uncounted;
        if (steady) {
            skipped = (loop_.uniform - done) / length_;
            const std::uint64_t behind = done + skipped * length_;
            if (behind < loop_.iterations || leave_caches)
                uncounted = catch_up(behind, std::min(done / length_, skipped));
            done = behind;
        }
        simulate(done, loop_.iterations);
        hierarchy_.finish();

        Traffic out = result_of(hierarchy_, spec_, source_.info());
        out.method = TrafficMethod::periodic;
        if (uncounted) combine(out, *uncounted, [](double& a, double b) { a -= b; });
        const double simulated = out.touches;
        if (steady)
            add_skipped(
                out, *steady, static_cast<double>(skipped),
                fmt::format("{} iteration{} of the outer loop", length_, length_ == 1 ? "" : "s"));
        else
            out.notes.push_back("no steady state before the end: simulated in full");
        out.simulated_share = out.touches > 0 ? simulated / out.touches : 1;
        return out;
    }

private:
    [[nodiscard]] std::uint64_t period_length() const {
        Touches touches;
        source_.replay_part(touches, 0, loop_.step);
        const auto most = static_cast<double>(loop_.uniform / (wanted_periods * loop_.step));
        const double steps =
            std::clamp(least_touches / std::max(touches.sum, 1.0), 1.0, std::max(most, 1.0));
        return loop_.step * static_cast<std::uint64_t>(steps);
    }

    void simulate(std::uint64_t first, std::uint64_t last) {
        source_.replay_part(hierarchy_, first, last);
        hierarchy_.settle();
    }

    /// Fills the caches with what they hold before iteration `behind`, and returns what that cost.
    Traffic catch_up(std::uint64_t behind, std::uint64_t periods) {
        const Traffic before = result_of(hierarchy_, spec_, source_.info(), Dirty::leave_out);
        simulate(behind - periods * length_, behind);
        Traffic cost = result_of(hierarchy_, spec_, source_.info(), Dirty::leave_out);
        combine(cost, before, [](double& a, double b) { a -= b; });
        return cost;
    }

    RunSource& source_;
    const HierarchySpec& spec_;
    const OuterLoop& loop_;
    double tolerance_;
    RegionMap map_;
    std::uint64_t length_;  ///< of a period, in iterations
    Hierarchy hierarchy_;
};

}  // namespace

std::optional<Traffic> simulate_loop(RunSource& source, const HierarchySpec& spec,
                                     const SimulateOptions& options) {
    const auto loop = source.outer_loop();
    if (!loop || loop->uniform < least_periods * loop->step) return std::nullopt;
    LoopSimulator simulator(source, *loop, spec, options.tolerance);
    if (options.protocol == CacheState::warm)
        simulator.run(true);
    else
        prepare(source, simulator.hierarchy(), options.protocol, spec);
    if (options.protocol != CacheState::cold) {
        simulator.hierarchy().finish();
        simulator.hierarchy().clear_counts();
    }
    return simulator.run(false);
}

}  // namespace ridge::cachesim
