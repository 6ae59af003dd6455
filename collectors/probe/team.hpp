// Threads bound to cores that start every measuring window together and note their own times.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ridge::probe {

/// Seconds on a clock that never jumps.
[[nodiscard]] inline double now_s() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// When one thread worked.
struct Interval {
    double begin_s = 0, end_s = 0;
    double cpu_s = -1;  ///< processor time that it got meanwhile; negative: unknown

    [[nodiscard]] double length_s() const { return end_s - begin_s; }
};

/// Processor time of the calling thread. Negative where the system counts it too coarsely to tell
/// whether a window of some 100 microseconds was interrupted (checked once).
[[nodiscard]] double thread_cpu_s();

/// Times `body` on the calling thread.
template <class Body>
[[nodiscard]] Interval timed(Body&& body) {
    Interval interval;
    const double cpu_before = thread_cpu_s();
    interval.begin_s = now_s();
    body();
    interval.end_s = now_s();
    if (cpu_before >= 0) interval.cpu_s = thread_cpu_s() - cpu_before;
    return interval;
}

/// False when the operating system gave the core to another thread during the window: such a window
/// says nothing about the machine, and many of them agree with each other by chance. (A foreign
/// hyperthread leaves no such trace.)
[[nodiscard]] inline bool undisturbed(const Interval& window) {
    return window.cpu_s < 0 || window.cpu_s > 0.98 * window.length_s();
}

/// Rate of threads that do not compete: the sum of their own rates, each having done
/// `work_per_thread`. Nothing when a thread was disturbed or when they hardly worked at the same
/// time: less than nine tenths of the longest interval in common.
[[nodiscard]] std::optional<double> summed_rate(std::span<const Interval> threads,
                                                double work_per_thread);
/// Rate of threads that share what is measured: all work over the time from the first start to the
/// last end. Nothing when a thread was disturbed.
[[nodiscard]] std::optional<double> joint_rate(std::span<const Interval> threads,
                                               double work_per_thread);

/// A group of threads, thread i bound to cpus[i]; the thread that creates it is thread 0 and is
/// unbound again when the team ends.
class Team {
public:
    /// Throws Error not_possible when a thread cannot be created or bound.
    explicit Team(std::vector<int> cpus);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    class Member;
    /// Runs `work` on the first `threads` threads at the same time and returns when all are done:
    /// for each window that the members ran, the interval of every thread. All members must run the
    /// same number of windows. `work` must not throw.
    std::vector<std::vector<Interval>> run(int threads, const std::function<void(Member&)>& work);

    [[nodiscard]] int size() const;
    [[nodiscard]] const std::vector<int>& cpus() const;

    /// While it lives, the calling thread may run wherever it could before the team was made
    /// (threads that it creates inherit that).
    class Unbound;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What a thread sees while it runs `work`.
class Team::Member {
public:
    Member(Impl& team, int index, int threads) : team_(team), index_(index), threads_(threads) {}
    [[nodiscard]] int index() const { return index_; }
    [[nodiscard]] int threads() const { return threads_; }

    /// All members reach this before any passes.
    void meet();
    /// Meets, then times `body`.
    template <class Body>
    void window(Body&& body) {
        meet();
        intervals_.push_back(timed(std::forward<Body>(body)));
    }

private:
    friend class Team;
    Impl& team_;
    int index_, threads_;
    std::vector<Interval> intervals_;
};

class Team::Unbound {
public:
    explicit Unbound(Team& team);
    ~Unbound();
    Unbound(const Unbound&) = delete;
    Unbound& operator=(const Unbound&) = delete;

private:
    Team& team_;
};

/// Binds the calling thread. Throws Error not_possible.
void bind_to(int cpu);

}  // namespace ridge::probe
