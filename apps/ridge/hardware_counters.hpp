// Counters of this machine's processor for the verbs: the one place that joins the event tables,
// PAPI and the system's facts.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ridge/counters.hpp"
#include "ridge/kernel.hpp"

namespace ridge::app {

struct HardwareCounters {
    std::string table;    ///< microarchitecture that the events are from; empty: none describes it
    std::string backend;  ///< "PAPI 7.0.0"; empty: there is none
    SystemFacts facts;
    std::unique_ptr<CounterSession> session;  ///< null where nothing could even be tried
    std::string unavailable;  ///< one line with the remedy; empty when something can be counted
};

/// Tries every event; counts nothing yet.
[[nodiscard]] HardwareCounters open_hardware_counters();
/// Counts known arithmetic and streams from memory and refuses what does not come out at it.
void calibrate(HardwareCounters& counters);

/// Counts of one row of a step, with the caches as `state` wants them before each execution.
/// `flush_bytes`: what replaces all that the caches hold.
[[nodiscard]] std::map<std::string, Reading> count_row(CounterSession& session,
                                                       const TrainingStep& step, std::size_t row,
                                                       CacheState state, std::size_t flush_bytes);

}  // namespace ridge::app
