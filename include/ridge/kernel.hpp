// The contract between collectors that build executable work (oneDNN, OpenBLAS, later cuDNN) and
// the one that times it. The timer knows nothing of libraries; the libraries know nothing of
// clocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridge/measurement.hpp"

namespace ridge {

/// One executable row of a training step on tensors that exist: a pass of a layer, or a reorder.
/// Executing it again and again is allowed in any order and never destroys what another kernel
/// reads, except that outputs are overwritten with equal values.
class Kernel {
public:
    virtual ~Kernel() = default;

    /// Key, ordinal, problem, implementation, formats, creation, first_call, scratchpad; `time`
    /// and `counters` are left for the caller.
    [[nodiscard]] virtual const Measurement& description() const = 0;

    /// Runs once and returns when the result is there. Does not allocate.
    virtual void execute() = 0;
};

/// All rows of one training step in execution order, and the memory they hold.
struct TrainingStep {
    std::vector<std::unique_ptr<Kernel>> kernels;
    Bytes tensors;                ///< all tensors
    Bytes scratchpad;             ///< shared by the kernels
    std::shared_ptr<void> owner;  ///< keeps the memory alive
    /// What the library ran with.
    std::string library, library_version, library_isa;
    /// Rows that this library cannot run, with the reason; never silently dropped.
    std::vector<std::pair<RowKey, std::string>> unavailable;
};

}  // namespace ridge
