// What the sampler needs of the machine. The tests replace it with a simulated machine whose true
// times are known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectors/clock/quiet_probe.hpp"
#include "ridge/units.hpp"

namespace ridge::clock {

class Instruments {
public:
    virtual ~Instruments() = default;
    [[nodiscard]] virtual Seconds now() = 0;
    /// See clock::read_cost().
    [[nodiscard]] virtual Seconds read_cost() = 0;
    /// Probes all cores in use at the same time; valid until the next call.
    [[nodiscard]] virtual std::span<const ProbeReading> probe() = 0;
    /// Replaces what the caches in use hold.
    virtual void flush_caches() = 0;
};

/// This machine, with `threads` OpenMP threads that are bound already.
class MachineInstruments final : public Instruments {
public:
    /// `flush_bytes`: what flush_caches() streams over, all threads together; 0 when it is never
    /// called.
    MachineInstruments(int threads, std::size_t flush_bytes);

    Seconds now() override;
    Seconds read_cost() override;
    std::span<const ProbeReading> probe() override;
    void flush_caches() override;

private:
    int threads_;
    std::vector<ProbeReading> readings_;
    std::vector<double> flush_buffer_;
};

/// How many times longer a walk through 256 KiB takes after flush_caches() than before: shows
/// whether the buffer is large enough to replace what the caches hold.
[[nodiscard]] double flush_effect(Instruments& instruments);

}  // namespace ridge::clock
