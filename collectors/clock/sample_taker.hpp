// One sample: a probe, the work between two reads of the clock, a probe.
#pragma once

#include <utility>
#include <vector>

#include "collectors/clock/instruments.hpp"
#include "collectors/clock/protocol.hpp"
#include "collectors/clock/quiet_levels.hpp"
#include "ridge/measurement.hpp"

namespace ridge::clock {

class SampleTaker {
public:
    /// `reference`: the clock that times are normalised to.
    SampleTaker(Instruments& instruments, const Protocol& protocol, const QuietLevels& levels,
                Hertz reference);

    /// Probes. take() compares with the last look.
    void look();
    [[nodiscard]] bool looks_quiet() const { return last_.share.quiet; }

    /// Probes until two looks in a row are quiet, for Protocol::wait_s at most, and not at all once
    /// waiting has taken Protocol::wait_share_at_most of the time since construction. True when it
    /// had to wait.
    bool wait_for_quiet();

    /// Executes `work` so many times. The sample is quiet when the looks before and after are and
    /// no thread was preempted between them.
    template <class Work>
    Sample take(Work&& work, int executions, int visit) {
        const Seconds start = instruments_.now();
        for (int i = 0; i < executions; ++i) work();
        const Seconds end = instruments_.now();
        return finish(end - start, executions, visit);
    }

    /// All readings since the last call go to the tracker. Between rows of a step nothing but the
    /// next element of a list is touched.
    void hand_over(QuietTracker& tracker);

private:
    struct Look {
        QuietShare share;
        std::int64_t preemptions = 0;  ///< of all threads
    };

    Sample finish(Seconds elapsed, int executions, int visit);

    Instruments& instruments_;
    Protocol protocol_;
    QuietLevels levels_;
    Hertz reference_;
    Seconds started_, waited_;
    double unix_offset_s_;  ///< calendar time - instruments_.now()
    Look last_;
    std::size_t cores_ = 1;
    std::vector<ProbeReading> readings_;
};

}  // namespace ridge::clock
