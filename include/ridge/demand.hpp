// What one execution of a pass asks of a processor: instructions by the unit they occupy, bytes per
// memory level, calls, and how evenly the threads share it. The currency between those who count
// (tracer and simulator, hardware counters, arithmetic on dimensions) and the predictor, which asks
// a source that it does not know.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ridge/kernel_counts.hpp"
#include "ridge/layer.hpp"
#include "ridge/machine.hpp"
#include "ridge/measurement.hpp"
#include "ridge/network.hpp"
#include "ridge/reading.hpp"
#include "ridge/units.hpp"

namespace ridge {

/// Instructions by the width of their vectors (index: VectorWidth, 512 bits last; matrix registers
/// are not in this model).
using ByWidth = std::array<double, static_cast<std::size_t>(VectorWidth::bits512) + 1>;

/// Bytes between a level and the next nearer one, both directions as seen from the core.
struct LevelDemand {
    std::string level;  ///< "L2": what L1 reads from it and writes back to it
    Bytes read, written;
};

/// Sums over all threads.
struct PassDemand {
    Source source = Source::algorithmic;
    Flops useful, executed;
    ByWidth fma{};               ///< multiply-adds
    ByWidth other_arithmetic{};  ///< every other vector arithmetic, shuffles included
    double divisions = 0;        ///< divisions and square roots, in 512-bit instructions
    AccessCounts loads;          ///< of whole vectors
    double broadcasts = 0;       ///< loads of one element, for all lanes or one; scalar loads
    AccessCounts stores;         ///< through the caches
    Bytes non_temporal;          ///< stored past the caches
    double instructions = 0;
    /// Entries into the library, in calls: kernels of Ridgepoint's own (updates, dropout, the
    /// gradient of the loss) are plain loops, a tenth of one.
    double library_calls = 1;
    double calls = 0;  ///< of generated code
    double sse_transitions = 0;
    /// Multiply-adds of the innermost block that wait for each other, over all of them: below
    /// 1 / (latency x multiply-adds per cycle) the chain is hidden.
    double chained_share = 0;
    std::vector<LevelDemand> levels;  ///< private caches only, nearest first ("L2", "L3")
    /// Bytes that must be kept for the next execution to find its data in a cache, and by a pass
    /// itself. Decides, with the capacity, what share of the last level's traffic goes to memory.
    Bytes footprint;
    /// What crosses to memory and back where a simulation of the whole hierarchy says so; then
    /// `footprint` does not decide it.
    std::optional<LevelDemand> memory;
    Bytes distinct_read, distinct_written;  ///< of tensors, each byte once
    int threads = 1;
    double busiest_share = 1;  ///< of the work that the busiest thread has; 1/threads is even
    std::string note;          ///< what had to be assumed; may be empty
};

/// A row of a training step with its demand.
struct DemandRow {
    RowKey key;
    int ordinal = 0;
    LayerKind kind = LayerKind::convolution;
    std::string problem;         ///< to_line() of the layer
    std::string implementation;  ///< kernel as the library names it; empty: not known
    PassDemand demand;
    std::string unavailable;  ///< not empty: why there is no demand
};

class DemandSource {
public:
    virtual ~DemandSource() = default;
    /// All rows of a training step of the network, in its order.
    [[nodiscard]] virtual std::vector<DemandRow> rows(const Network& network, int threads) = 0;
    [[nodiscard]] virtual Source kind() const = 0;
};

}  // namespace ridge
