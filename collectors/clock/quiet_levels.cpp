#include "collectors/clock/quiet_levels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ridge::clock {

void LevelHistory::add(std::int64_t window, double value) {
    if (!std::isfinite(value) || value <= 0) return;
    const auto same = std::find_if(best_.begin(), best_.end(),
                                   [&](const WindowBest& b) { return b.window == window; });
    if (same != best_.end()) {
        if (same->value >= value) return;
        best_.erase(same);
    }
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [&](const WindowBest& b) { return b.value < value; });
    best_.insert(place, {window, value});
    if (best_.size() > windows_to_confirm) best_.pop_back();
}

void LevelHistory::merge(const LevelHistory& other) {
    for (const auto& best : other.best_) add(best.window, best.value);
}

double LevelHistory::level() const {
    return best_.empty() ? 0 : best_.back().value;
}

int LevelHistory::agreeing() const {
    return static_cast<int>(std::count_if(best_.begin(), best_.end(), [&](const WindowBest& b) {
        return b.value >= best_.front().value * (1 - agreement);
    }));
}

namespace {

QuietShare judge_core(const ProbeReading& core, const QuietLevels& levels) {
    const double fma_per_cycle = levels.fma.value() / levels.clock.value();
    const double issue_per_cycle = levels.issue.value() / levels.clock.value();
    QuietShare share;
    share.clock = core.clock;
    const double clock_by_others =
        std::max(core.fma.value() / fma_per_cycle, core.issue.value() / issue_per_cycle);
    if (clock_by_others > core.clock.value() * chain_interrupted_above)
        share.clock = Hertz(clock_by_others);
    share.fma = core.fma.value() / share.clock.value() / fma_per_cycle;
    share.issue = core.issue.value() / share.clock.value() / issue_per_cycle;
    share.quiet = share.fma >= quiet_at_least && share.issue >= quiet_at_least;
    return share;
}

}  // namespace

QuietShare judge(std::span<const ProbeReading> cores, const QuietLevels& levels) {
    if (cores.empty()) return {};
    QuietShare worst = judge_core(cores.front(), levels);
    for (const auto& core : cores.subspan(1)) {
        const QuietShare share = judge_core(core, levels);
        worst.fma = std::min(worst.fma, share.fma);
        worst.issue = std::min(worst.issue, share.issue);
        worst.clock = std::min(worst.clock, share.clock);
        worst.quiet = worst.quiet && share.quiet;
    }
    return worst;
}

bool judged_by_lower(const RunInfo& run, const QuietLevels& levels) {
    return levels.issue.value() * quiet_at_least > run.quiet_issue.value() ||
           levels.fma.value() * quiet_at_least > run.quiet_fma.value();
}

void QuietTracker::add(std::span<const ProbeReading> cores, double unix_time_s) {
    if (cores.empty()) return;
    const auto window = static_cast<std::int64_t>(std::floor(unix_time_s / window_s));
    double slowest = cores.front().clock.value();
    for (const auto& core : cores) {
        history_.fma.add(window, core.fma.value());
        history_.issue.add(window, core.issue.value());
        history_.clock.add(window, core.clock.value());
        slowest = std::min(slowest, core.clock.value());
    }
    history_.clock_of_all[static_cast<int>(cores.size())].add(window, slowest);
}

void QuietTracker::add(std::span<const ProbeReading> cores) {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    add(cores, std::chrono::duration<double>(since_epoch).count());
}

QuietLevels QuietTracker::levels() const {
    QuietLevels levels;
    levels.fma = FlopsPerSecond(history_.fma.level());
    levels.issue = InstructionsPerSecond(history_.issue.level());
    levels.clock = Hertz(history_.clock.level());
    levels.windows =
        std::min({history_.fma.agreeing(), history_.issue.agreeing(), history_.clock.agreeing()});
    levels.provisional = levels.windows < windows_to_confirm;
    return levels;
}

Hertz QuietTracker::clock_level(int threads) const {
    const auto entry = history_.clock_of_all.find(threads);
    return Hertz(entry == history_.clock_of_all.end() ? history_.clock.level()
                                                      : entry->second.level());
}

}  // namespace ridge::clock
