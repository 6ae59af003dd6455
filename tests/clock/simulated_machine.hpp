// A machine whose disturbance follows the model of docs/model.md, "Quiet", and whose kernels have
// known true times, so that an estimate can be held against the truth.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "collectors/clock/instruments.hpp"
#include "ridge/kernel.hpp"
#include "ridge/machine.hpp"

namespace ridge::test {

struct Disturbance {
    double quiet_s = 0.04, busy_s = 0.04;  ///< mean lengths with and without a foreign hyperthread
    double clock_share_low = 0.95;         ///< the clock wanders between this and 1
    double contention_s = 0.05, calm_s = 0.1;  ///< of L3 and DRAM, which no probe sees
    double preemptions_per_s = 2;              ///< of 4 ms each
    double glitches = 0.003;                   ///< share of probes whose chain is interrupted
};

inline constexpr double quiet_clock_hz = 3.6e9;

class SimulatedMachine final : public clock::Instruments {
public:
    SimulatedMachine(const Disturbance& model, std::uint64_t seed, int cores = 1)
        : model_(model), random_(seed), readings_(static_cast<std::size_t>(cores)) {
        next_clock_ = 0;
        next_hyperthread_ = exponential(model.quiet_s);
        next_contention_ = exponential(model.calm_s);
        next_preemption_ = exponential(1 / model.preemptions_per_s);
        settle_states();
    }

    [[nodiscard]] static QuietLevels levels() {
        return {FlopsPerSecond(32 * quiet_clock_hz), InstructionsPerSecond(6 * quiet_clock_hz), 3,
                false, Hertz(quiet_clock_hz)};
    }

    Seconds now() override {
        time_ += 10e-9;
        return Seconds(time_);
    }
    Seconds read_cost() override { return Seconds(10e-9); }

    std::span<const clock::ProbeReading> probe() override {
        pass(20e-6);
        ++probes;
        for (auto& reading : readings_) {
            const double clock_hz = quiet_clock_hz * clock_share_;
            const double jitter = 1 - 0.003 * uniform();
            reading.clock = Hertz(clock_hz * (uniform() < model_.glitches ? 0.8 : 1));
            reading.fma =
                FlopsPerSecond(32 * clock_hz * jitter * (busy_ ? 0.6 + 0.4 * uniform() : 1));
            reading.issue =
                InstructionsPerSecond(6 * clock_hz * jitter * (busy_ ? 0.5 + 0.3 * uniform() : 1));
            reading.at = Seconds(time_);
            reading.preemptions = preemptions_;
        }
        return readings_;
    }

    void flush_caches() override {
        pass(5e-3);
        flushed = true;
    }

    /// Work that takes `true_s` on the quiet machine, `busy_factor` times as long beside a
    /// hyperthread and `contended_factor` times under contention.
    void work(double true_s, double busy_factor, double contended_factor) {
        double left = true_s;
        while (left > 0) {
            const double rate =
                clock_share_ / ((busy_ ? busy_factor : 1) * (contended_ ? contended_factor : 1));
            const double until = next_change() - time_;
            if (left <= until * rate) {
                time_ += left / rate;
                return;
            }
            left -= until * rate;
            time_ += until;
            settle_states();
        }
    }

    int probes = 0;
    bool flushed = false;

private:
    double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    double exponential(double mean) {
        return std::exponential_distribution<double>(1 / mean)(random_);
    }
    [[nodiscard]] double next_change() const {
        return std::min(std::min(next_clock_, next_hyperthread_),
                        std::min(next_contention_, next_preemption_));
    }

    void pass(double duration) {
        const double end = time_ + duration;
        while (next_change() < end) {
            time_ = std::max(time_, next_change());
            settle_states();
        }
        time_ = std::max(time_, end);
    }

    /// Changes of state that are due.
    void settle_states() {
        while (next_change() <= time_) {
            if (next_clock_ <= time_) {
                clock_share_ = model_.clock_share_low + (1 - model_.clock_share_low) * uniform();
                next_clock_ += exponential(0.05);
            } else if (next_hyperthread_ <= time_) {
                busy_ = !busy_;
                next_hyperthread_ += exponential(busy_ ? model_.busy_s : model_.quiet_s);
            } else if (next_contention_ <= time_) {
                contended_ = !contended_;
                next_contention_ += exponential(contended_ ? model_.contention_s : model_.calm_s);
            } else {
                ++preemptions_;
                next_preemption_ += 4e-3 + exponential(1 / model_.preemptions_per_s);
                time_ += 4e-3;
            }
        }
    }

    Disturbance model_;
    std::mt19937_64 random_;
    std::vector<clock::ProbeReading> readings_;
    double time_ = 1;
    bool busy_ = false, contended_ = false;
    double clock_share_ = 1;
    std::int64_t preemptions_ = 0;
    double next_clock_, next_hyperthread_, next_contention_, next_preemption_;
};

/// A row whose true time is known.
class SimulatedKernel final : public Kernel {
public:
    SimulatedKernel(SimulatedMachine& machine, std::string name, int ordinal, double time_s,
                    double busy_factor, double contended_factor)
        : true_s(time_s),
          machine_(machine),
          busy_factor_(busy_factor),
          contended_factor_(contended_factor) {
        description_.key.layer = std::move(name);
        description_.ordinal = ordinal;
    }
    [[nodiscard]] const Measurement& description() const override { return description_; }
    void execute() override {
        machine_.work(true_s, busy_factor_, contended_factor_);
        ++executions;
    }

    double true_s;
    int executions = 0;

private:
    SimulatedMachine& machine_;
    Measurement description_;
    double busy_factor_, contended_factor_;
};

}  // namespace ridge::test
