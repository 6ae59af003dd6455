// The tracer: every instruction, FLOP and address of generated kernels, exactly, without hardware
// counters and without privileges. docs/model.md, "Tracer", says how.
//
//   announce_generated_code();                  // before the library generates any
//   TrainingStep step = build_onednn_step(...);
//   Tracer tracer;                              // finds and hooks the functions generated so far
//   KernelTrace trace = tracer.trace(*step.kernels[0], &simulator);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridge/kernel.hpp"
#include "ridge/kernel_counts.hpp"
#include "ridge/trace.hpp"

namespace ridge {

struct TracerOptions {
    int threads = 1;           ///< that the kernel uses
    bool compressed = true;    ///< false: every access is a run of its own, see docs/model.md
    int self_check_calls = 0;  ///< calls per function compared with the native run, step by step
};

/// Empty when this build and this processor can trace; else why not.
[[nodiscard]] std::string tracer_unavailable();

class Tracer {
public:
    /// Hooks the functions that the process has generated and listed so far. Throws Error
    /// not_possible where tracer_unavailable() says so, job_failed when another tracer exists.
    Tracer();
    ~Tracer();
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// Functions that could not be hooked, with the reason.
    [[nodiscard]] const std::vector<std::string>& not_hooked() const;
    [[nodiscard]] int hooked() const;

    /// Executes the kernel once, natively, and traces it. Line runs go to `sink` unless it is null;
    /// runs of several threads take turns in equal shares.
    [[nodiscard]] KernelTrace trace(Kernel& kernel, RunSink* sink,
                                    const TracerOptions& options = {});

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ridge
