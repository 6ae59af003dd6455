// What the probes read on this machine when nothing disturbs it. The levels are constants of the
// machine that only ever rise: a whole run can be disturbed, so a level found inside one run proves
// nothing (docs/model.md, "Quiet"). Every probe and every collect adds what it saw to a small file
// of this machine.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "collectors/clock/quiet_probe.hpp"
#include "ridge/machine.hpp"
#include "ridge/measurement.hpp"

namespace ridge::clock {

/// The best reading of one window. Windows are slots of window_s seconds of calendar time, so that
/// those of different runs and of runs at the same time are told apart.
struct WindowBest {
    std::int64_t window = 0;
    double value = 0;
    bool operator==(const WindowBest&) const = default;
};
inline constexpr double window_s = 0.5;

/// A level is the third best of its window bests: at least so many separate windows reached it.
inline constexpr int windows_to_confirm = 3;

/// The best windows of one quantity.
class LevelHistory {
public:
    void add(std::int64_t window, double value);
    /// Adds every window of another history.
    void merge(const LevelHistory& other);
    /// The confirmed level; with fewer windows than it takes, the lowest of them; 0 without any.
    [[nodiscard]] double level() const;
    /// Windows within `agreement` of the best one, at most windows_to_confirm.
    [[nodiscard]] int agreeing() const;
    [[nodiscard]] const std::vector<WindowBest>& best() const { return best_; }

private:
    std::vector<WindowBest> best_;  ///< highest first, one per window
};
/// Windows agree when their bests lie within this share of the highest.
inline constexpr double agreement = 0.02;

/// Everything the machine has shown so far.
struct QuietHistory {
    std::string cpu_model;                     ///< the processor it was seen on
    LevelHistory fma, issue, clock;            ///< of single cores, by reading
    std::map<int, LevelHistory> clock_of_all;  ///< by threads in use: the slowest core's clock
};

/// How a reading compares with the levels: 1 when undisturbed.
struct QuietShare {
    double fma = 0;    ///< FMAs per cycle, relative; slowest core
    double issue = 0;  ///< instructions per cycle, relative; slowest core
    Hertz clock;       ///< slowest core
    bool quiet = false;
};
/// An undisturbed core shows its constants within a fraction of a percent, a core beside an active
/// hyperthread mostly 10 % less or worse.
inline constexpr double quiet_at_least = 0.97;
/// An interruption inside the chain makes the clock look low and the shares look high. A core that
/// seems to do more than this share of its constants shows its clock by the other two loops.
inline constexpr double chain_interrupted_above = 1.015;

[[nodiscard]] QuietShare judge(std::span<const ProbeReading> cores, const QuietLevels& levels);

/// True when the run's samples were held against levels so far below `levels` that some of those it
/// calls quiet may be disturbed. A level within the quiet band judges the same samples quiet.
[[nodiscard]] bool judged_by_lower(const RunInfo& run, const QuietLevels& levels);

class QuietTracker {
public:
    explicit QuietTracker(QuietHistory history = {}) : history_(std::move(history)) {}

    /// Adds one reading of all cores in use. `unix_time_s`: calendar time of the reading.
    void add(std::span<const ProbeReading> cores, double unix_time_s);
    /// Now.
    void add(std::span<const ProbeReading> cores);

    /// Levels of one core. Once three windows are known they never fall.
    [[nodiscard]] QuietLevels levels() const;
    /// The clock that all of `threads` cores reach together: what times are normalised to. Falls
    /// back to the one-core level while no reading with so many threads is known.
    [[nodiscard]] Hertz clock_level(int threads) const;
    [[nodiscard]] const QuietHistory& history() const { return history_; }

private:
    QuietHistory history_;
};

/// $XDG_DATA_HOME/ridge/quiet.json
[[nodiscard]] std::string quiet_history_path();
/// Empty history when the file is absent or was written on another processor. Throws Error
/// bad_input for a damaged file.
[[nodiscard]] QuietHistory load_quiet_history(const std::string& path,
                                              const std::string& cpu_model);
/// Adds what `history` holds to what the file holds by now (two processes may do so at once) and
/// writes it aside and renames. Returns the sum.
QuietHistory merge_quiet_history(const std::string& path, const QuietHistory& history);

}  // namespace ridge::clock
