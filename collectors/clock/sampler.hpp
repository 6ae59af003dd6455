// Times the rows of a training step on a machine that is not quiet: in rounds, so that no row has
// all its repetitions in one place, each sample between two probes. The protocol is described in
// docs/model.md, "Measuring".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectors/clock/estimator.hpp"
#include "collectors/clock/instruments.hpp"
#include "collectors/clock/quiet_levels.hpp"
#include "ridge/kernel.hpp"

namespace ridge::clock {

/// Samples of every kernel, and of the whole step.
struct SampleSet {
    std::vector<std::vector<Sample>> rows;
    std::vector<Sample> step;
};

/// Where samples go as soon as they are taken, and who may end the run.
class SampleSink {
public:
    virtual ~SampleSink() = default;
    /// A visit is finished: keep it now, the process may be killed any time.
    virtual void add_visit(std::size_t row, int visit, const std::vector<Sample>& samples) = 0;
    virtual void add_step(int visit, const Sample& sample) = 0;
    /// Asked between visits.
    [[nodiscard]] virtual bool stop_requested() = 0;
    virtual void progress(Seconds elapsed, const std::string& item) = 0;
};

struct SamplingTask {
    std::span<const std::unique_ptr<Kernel>> kernels;
    std::vector<bool> wanted;  ///< by kernel; the others are executed where order matters
    CacheState state = CacheState::warm;
    bool time_step = false;  ///< in_step only: also the step as a whole
    Seconds budget;          ///< no visit begins later, except that every row is visited once
    QuietLevels levels;      ///< judge the samples
    Hertz reference;         ///< times are normalised to this clock
};

/// Adds to `samples`, which holds what an interrupted run measured already (or one empty list per
/// kernel). Returns false when the sink asked it to stop. Every probe reading goes to `tracker`.
bool sample(const SamplingTask& task, const Protocol& protocol, Instruments& instruments,
            SampleSet& samples, SampleSink& sink, QuietTracker& tracker);

/// The visits in which every wanted row and the step were timed.
[[nodiscard]] std::vector<StepPair> step_pairs(const SampleSet& samples,
                                               const std::vector<bool>& wanted);

}  // namespace ridge::clock
