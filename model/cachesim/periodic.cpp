// Periodic mode: buffers the start of the stream, finds its outer period, simulates until a steady
// state is reached, and then only checks that the stream goes on as expected. What was skipped is
// added as (periods x cost of a period). A stream without period is simulated in full. For a stream
// that knows its outer loop see periodic_loop.cpp.
#include <fmt/format.h>

#include "model/cachesim/modes.hpp"
#include "model/cachesim/period_finder.hpp"
#include "model/cachesim/result.hpp"
#include "model/cachesim/steady_state.hpp"

namespace ridge::cachesim {
namespace {

class PeriodicSimulator final : public RunSink {
public:
    PeriodicSimulator(const HierarchySpec& spec, const TraceInfo& info, Hierarchy& hierarchy,
                      double tolerance)
        : spec_(spec), info_(info), hierarchy_(hierarchy), tolerance_(tolerance) {}

    void consume(std::span<const LineRun> chunk) override {
        for (const LineRun& run : chunk) {
            if (state_ == State::collecting) {
                buffer_.push_back(run);
                if (buffer_.size() == largest_buffer) start();
            } else {
                next(run);
            }
        }
    }

    [[nodiscard]] Traffic finish();

private:
    /// 24 MiB of runs and 12 MiB for the search.
    static constexpr std::size_t largest_buffer = std::size_t{1} << 20;
    /// A period shorter than this costs more to watch than to simulate.
    static constexpr double least_touches = 16384;

    enum class State { collecting, simulating, skipping, exact };

    void start();
    void next(const LineRun& run);
    void resume();
    void simulate(const LineRun& run);
    [[nodiscard]] LineRun expected(std::size_t place) const;

    const HierarchySpec& spec_;
    const TraceInfo& info_;
    Hierarchy& hierarchy_;
    double tolerance_;
    State state_ = State::collecting;
    std::vector<LineRun> buffer_;  ///< later: the runs of one period
    RegionMap map_;
    std::optional<Period> period_;
    std::optional<SteadyState> watch_;
    std::optional<Steady> steady_;
    std::size_t position_ = 0;         ///< within the period
    std::uint64_t period_number_ = 0;  ///< of the current period, 0 is the one in buffer_
    std::uint64_t simulated_periods_ = 0;
    std::uint64_t skipped_periods_ = 0;
    RunBuffer pending_{hierarchy_};
    std::optional<Traffic> uncounted_;  ///< cost of bringing the caches up to date
    std::string why_;                   ///< it was simulated in full
};

void PeriodicSimulator::simulate(const LineRun& run) {
    pending_.push(run);
}

/// The run at a place of the current period: that of the first one, moved on.
LineRun PeriodicSimulator::expected(std::size_t place) const {
    LineRun run = buffer_[place];
    run.line += static_cast<std::uint64_t>(period_->shift[map_.find(run.line)]) * period_number_;
    return run;
}

void PeriodicSimulator::start() {
    const std::vector<Region> regions =
        info_.regions.empty() ? infer_regions(buffer_, info_.line_bytes) : info_.regions;
    map_ = RegionMap(regions, info_.line_bytes);
    period_ = find_period(buffer_, map_, least_touches);
    std::vector<LineRun> all;
    all.swap(buffer_);
    if (!period_) {
        why_ =
            fmt::format("no outer period within the first {} runs: simulated in full", all.size());
        state_ = State::exact;
        for (const LineRun& run : all) simulate(run);
        return;
    }
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(period_->first);
    buffer_.assign(first, first + static_cast<std::ptrdiff_t>(period_->length));
    for (auto run = all.begin(); run != first; ++run) simulate(*run);
    pending_.flush();
    hierarchy_.settle();
    watch_.emplace(hierarchy_, spec_, info_, map_, *period_, tolerance_);
    state_ = State::simulating;
    for (auto run = first; run != all.end(); ++run) next(*run);
}

void PeriodicSimulator::next(const LineRun& run) {
    if (state_ == State::exact) {
        simulate(run);
        return;
    }
    if (run != expected(position_)) {
        resume();
        simulate(run);
        return;
    }
    if (state_ == State::simulating) simulate(run);
    if (++position_ < period_->length) return;
    position_ = 0;
    ++period_number_;
    if (state_ == State::skipping) {
        ++skipped_periods_;
        return;
    }
    ++simulated_periods_;
    pending_.flush();
    hierarchy_.settle();
    watch_->period_ended();
    steady_ = watch_->verdict();
    if (steady_) state_ = State::skipping;
}

/// The stream left its period. The runs of the period under way are simulated; so are, uncounted,
/// as many periods before them as had led to the steady state, to bring the caches up to date.
void PeriodicSimulator::resume() {
    if (state_ == State::skipping && skipped_periods_ > 0) {
        const std::size_t place = position_;
        const std::uint64_t now = period_number_;
        const std::uint64_t back = std::min(simulated_periods_, skipped_periods_);
        const Traffic before = result_of(hierarchy_, spec_, info_, Dirty::leave_out);
        for (period_number_ = now - back; period_number_ < now; ++period_number_)
            for (std::size_t i = 0; i < period_->length; ++i) simulate(expected(i));
        pending_.flush();
        hierarchy_.settle();
        uncounted_ = result_of(hierarchy_, spec_, info_, Dirty::leave_out);
        combine(*uncounted_, before, [](double& a, double b) { a -= b; });
        position_ = place;
    }
    if (state_ == State::skipping)
        for (std::size_t i = 0; i < position_; ++i) simulate(expected(i));
    state_ = State::exact;
}

Traffic PeriodicSimulator::finish() {
    if (state_ == State::collecting) start();
    // A last period that is not complete is simulated where the simulated ones ended: it costs the
    // same there.
    if (state_ == State::skipping) {
        period_number_ -= skipped_periods_;
        for (std::size_t i = 0; i < position_; ++i) simulate(expected(i));
    }
    pending_.flush();
    hierarchy_.finish();
    Traffic out = result_of(hierarchy_, spec_, info_);
    out.method = TrafficMethod::periodic;
    if (uncounted_) combine(out, *uncounted_, [](double& a, double b) { a -= b; });
    const double simulated = out.touches;
    if (steady_) {
        // What is dirty is a state, not a flow; it was counted once, above.
        add_skipped(out, *steady_, static_cast<double>(skipped_periods_),
                    fmt::format("{} runs", period_->length));
    } else {
        if (why_.empty()) why_ = "no steady state before the end: simulated in full";
        out.notes.push_back(why_);
    }
    out.simulated_share = out.touches > 0 ? simulated / out.touches : 1;
    return out;
}

}  // namespace

Traffic simulate_periodic(RunSource& source, const HierarchySpec& spec,
                          const SimulateOptions& options) {
    if (auto out = simulate_loop(source, spec, options)) return *std::move(out);
    Hierarchy hierarchy(spec, source.info());
    prepare(source, hierarchy, options.protocol, spec);
    if (options.protocol != CacheState::cold) {
        hierarchy.finish();
        hierarchy.clear_counts();
    }
    PeriodicSimulator simulator(spec, source.info(), hierarchy, options.tolerance);
    source.replay(simulator);
    return simulator.finish();
}

}  // namespace ridge::cachesim
