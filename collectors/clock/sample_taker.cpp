#include "collectors/clock/sample_taker.hpp"

#include <algorithm>
#include <chrono>

namespace ridge::clock {

SampleTaker::SampleTaker(Instruments& instruments, const Protocol& protocol,
                         const QuietLevels& levels, Hertz reference)
    : instruments_(instruments),
      protocol_(protocol),
      levels_(levels),
      reference_(reference),
      started_(instruments.now()) {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    unix_offset_s_ = std::chrono::duration<double>(since_epoch).count() - started_.value();
    readings_.reserve(1 << 16);
}

void SampleTaker::look() {
    const auto cores = instruments_.probe();
    cores_ = cores.size();
    readings_.insert(readings_.end(), cores.begin(), cores.end());
    last_.share = judge(cores, levels_);
    last_.preemptions = 0;
    for (const auto& core : cores) last_.preemptions += core.preemptions;
}

bool SampleTaker::wait_for_quiet() {
    if (looks_quiet()) return false;
    const Seconds start = instruments_.now();
    const bool patient =
        waited_.value() <= protocol_.wait_share_at_most * (start - started_).value();
    int in_a_row = 0;
    Seconds waited;
    while (patient && in_a_row < 2 && waited.value() < protocol_.wait_s) {
        look();
        in_a_row = looks_quiet() ? in_a_row + 1 : 0;
        waited = instruments_.now() - start;
    }
    waited_ += waited;
    return patient;
}

Sample SampleTaker::finish(Seconds elapsed, int executions, int visit) {
    const Look before = last_;
    look();
    Sample sample;
    sample.visit = visit;
    sample.executions = executions;
    // A sample of almost nothing may take less than what the clock costs.
    const double least_s = 1e-9;
    sample.raw_time =
        Seconds(std::max((elapsed - instruments_.read_cost()).value(), least_s) / executions);
    sample.fma_level = std::min(before.share.fma, last_.share.fma);
    sample.issue_level = std::min(before.share.issue, last_.share.issue);
    const Hertz slower = std::min(before.share.clock, last_.share.clock);
    const Hertz faster = std::max(before.share.clock, last_.share.clock);
    sample.quiet = before.share.quiet && last_.share.quiet &&
                   before.preemptions == last_.preemptions &&
                   slower.value() >= faster.value() * protocol_.clock_steady;
    // The clock of a quiet sample is known within 1 %, and the mean of both sides is the best guess
    // for the time between. In a disturbed one the chain may have been interrupted, which makes the
    // clock look low and the time too short: the higher side is the safe one.
    const double clock_hz = sample.quiet ? 0.5 * (slower + faster).value() : faster.value();
    sample.time = sample.raw_time * (clock_hz / reference_.value());
    return sample;
}

void SampleTaker::hand_over(QuietTracker& tracker) {
    for (std::size_t i = 0; i + cores_ <= readings_.size(); i += cores_)
        tracker.add(std::span(readings_).subspan(i, cores_),
                    readings_[i].at.value() + unix_offset_s_);
    readings_.clear();
}

}  // namespace ridge::clock
