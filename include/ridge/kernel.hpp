// The contract between collectors that build executable work (oneDNN, OpenBLAS, later cuDNN) and
// the one that times it. The timer knows nothing of libraries; the libraries know nothing of
// clocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridge/measurement.hpp"

namespace ridge {

/// Where a tensor that a kernel reads or writes lies.
struct KernelTensor {
    std::string role;  ///< "src", "wei", "diff_dst"...; "scratchpad"
    std::uint64_t address = 0, bytes = 0;
    bool read = false, written = false;
    bool scratchpad = false;
};

/// One executable row of a training step on tensors that exist: a pass of a layer, or a reorder.
///
/// Executing a row several times in a row leaves what one execution leaves (the optimizer's
/// momentum and running statistics move on, the weights by nothing that matters). So rows may be
/// repeated while the step is walked through in order. Out of order one thing is to know: a row
/// whose output is overwritten in place (ReLU, dropout) brings back the values from before, until
/// the rows in place have run again; times do not depend on it.
class Kernel {
public:
    virtual ~Kernel() = default;

    /// Key, ordinal, problem, implementation, formats, creation, first_call, scratchpad; `time`
    /// and `counters` are left for the caller.
    [[nodiscard]] virtual const Measurement& description() const = 0;

    /// Runs once and returns when the result is there. Does not allocate.
    virtual void execute() = 0;

    /// Memory that execute() works on, each place once; empty when it is not known.
    [[nodiscard]] virtual std::vector<KernelTensor> tensors() const { return {}; }
};

/// Tensors of a built step by layer and role ("src", "wei", "diff_dst"...), for checks and for
/// tools that need addresses. Values are in plain order (nchw, oihw or goihw, nc) as float,
/// whatever the format and data type that the step keeps.
class StepMemory {
public:
    virtual ~StepMemory() = default;
    /// Names that read() and write() take for this layer; empty when the layer is unknown.
    [[nodiscard]] virtual std::vector<std::string> tensors(std::string_view layer) const = 0;
    /// Throws Error job_failed for an unknown layer or tensor.
    [[nodiscard]] virtual std::vector<float> read(std::string_view layer,
                                                  std::string_view tensor) const = 0;
    /// Throws Error job_failed for an unknown layer or tensor, or another number of values.
    virtual void write(std::string_view layer, std::string_view tensor,
                       const std::vector<float>& values) = 0;
};

/// In which memory format the network's input arrives.
enum class InputFormat {
    automatic,  ///< plain for a network, the library's own for a network of one layer
    plain,      ///< nchw, as a data loader delivers it
    library,    ///< what the first layer prefers: the layer stands for one inside a network
};

struct StepOptions {
    int threads = 1;  ///< OpenMP threads that every kernel uses
    InputFormat input_format = InputFormat::automatic;
    /// SGD with momentum: m = momentum m + gradient; w = w - rate m. The default rate is so small
    /// that any number of executions leaves the weights where they are.
    double learning_rate = 1e-9;
    double momentum = 0.9;
    std::uint64_t seed = 1;  ///< of all values that the step starts from
};

/// All rows of one training step in execution order, and the memory they hold. Kernels run on the
/// thread that built the step, with the OpenMP threads of StepOptions; denormals are flushed to
/// zero on all of them (FTZ and DAZ), as training frameworks do.
struct TrainingStep {
    std::shared_ptr<StepMemory> memory;  ///< kernels run only while it lives
    std::vector<std::unique_ptr<Kernel>> kernels;
    Bytes tensors;     ///< all tensors, alive at once
    Bytes scratchpad;  ///< one, shared by the kernels
    /// What the library ran with.
    std::string library, library_version, library_isa;
    /// Rows that this library cannot run, with the reason; never silently dropped.
    std::vector<std::pair<RowKey, std::string>> unavailable;
};

}  // namespace ridge
