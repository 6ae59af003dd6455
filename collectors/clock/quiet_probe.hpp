// How undisturbed the core is at this moment. A foreign hyperthread on the same physical core, or
// another process, slows a kernel by up to 2x without any trace in the system's statistics; three
// short loops of known content show it within some 20 microseconds:
//
//   clock  a chain of dependent integer multiplications, 3 cycles each: the core's clock, which a
//          hyperthread leaves alone
//   issue  independent additions and nops: how many instructions the core starts per second, which
//          any active hyperthread divides
//   fma    independent multiply-adds of the widest kind: what is left of the arithmetic units
//
// issue / clock and fma / clock are constants of an undisturbed core, sharp to a fraction of a
// percent, whatever the clock does at the time. Each of them alone misses disturbances that the
// other sees. Competition on this operating system shows as preemptions of the thread. See
// docs/model.md, "Quiet".
#pragma once

#include <cstdint>
#include <span>

#include "ridge/units.hpp"

namespace ridge::clock {

struct ProbeReading {
    Hertz clock;
    FlopsPerSecond fma;
    InstructionsPerSecond issue;
    Seconds at;                    ///< on clock::now(), when the reading ended
    std::int64_t preemptions = 0;  ///< times that this thread lost its core to another, so far
};

/// Reads on the calling thread. Touches no memory but its own code, a few cache lines.
[[nodiscard]] ProbeReading read_quiet_probe();

/// Reads on readings.size() OpenMP threads at the same time (1: on the calling thread); thread i
/// fills element i. Bind the threads first (affinity.hpp).
void read_quiet_probe(std::span<ProbeReading> readings);

}  // namespace ridge::clock
