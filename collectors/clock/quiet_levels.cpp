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

QuietShare judge(std::span<const ProbeReading> cores, const QuietLevels& levels) {
    const double fma_per_cycle = levels.fma.value() / levels.clock.value();
    const double issue_per_cycle = levels.issue.value() / levels.clock.value();
    QuietShare share;
    share.quiet = !cores.empty();
    bool first = true;
    for (const auto& core : cores) {
        const double fma = core.fma.value() / core.clock.value() / fma_per_cycle;
        const double issue = core.issue.value() / core.clock.value() / issue_per_cycle;
        const auto undisturbed = [](double s) { return s >= quiet_at_least && s <= quiet_at_most; };
        share.quiet = share.quiet && undisturbed(fma) && undisturbed(issue);
        share.fma = first ? fma : std::min(share.fma, fma);
        share.issue = first ? issue : std::min(share.issue, issue);
        share.clock = first ? core.clock : std::min(share.clock, core.clock);
        first = false;
    }
    return share;
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
