// Where the counters of a run come from: the one place that knows which back ends there are.
#pragma once

#include <memory>
#include <string>

#include "apps/ridge/hardware_counters.hpp"

namespace ridge::app {

struct CounterChoice {
    bool traced = false;  ///< generated code is emulated, its stream simulated
    std::shared_ptr<HardwareCounters> hardware;  ///< counters of the processor; null: not read
    std::string remark;  ///< one line about what `auto` left out; may be empty

    /// "none", "traced", "hardware" or "hardware, traced": as a run stores it.
    [[nodiscard]] std::string words() const;
};

/// Answers for one command; the processor's counters are opened and calibrated once.
class CounterChooser {
public:
    /// `word`: auto, traced, none or hardware. Throws Error bad_input for another one.
    explicit CounterChooser(std::string word);

    /// auto takes what there is: the processor's counters, and the tracer for what they cannot
    /// tell. Throws Error not_possible for what was asked for by name and is not here.
    [[nodiscard]] CounterChoice choose(const std::string& library);

private:
    /// Why the processor's counters cannot be read; empty when they can.
    [[nodiscard]] const std::string& hardware_unavailable();

    std::string word_;
    std::shared_ptr<HardwareCounters> hardware_;
};

}  // namespace ridge::app
