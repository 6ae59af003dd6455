// From a PyTorch trace to rows: which operator a kernel worked for, forward or backward, and which
// layer that is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/import/imported_run.hpp"
#include "collectors/import/kineto_trace.hpp"

namespace ridge::import {

struct KinetoOptions {
    std::string name, machine, imported_at, command, ridge_version;
};

/// All runs of one operator on tensors of the same sizes, in one direction.
struct KinetoRow : ImportedRow {
    std::int64_t runs = 0, warm_up = 0;
    std::int64_t kernels = 0;  ///< of all runs
    double total_ms = 0;
    double helper_ms = 0;   ///< of it in other kernels than the longest of each run
    bool by_order = false;  ///< launched as a CUDA graph: only the order tells
};

struct KinetoRun {
    RunInfo info;
    std::vector<KinetoRow> rows;
    double unattributed_ms = 0;  ///< of kernels that no operator launched
    std::vector<std::string> notes;
};

/// Times are those of the kernels, or of the operators where there are none (a trace of the CPU).
/// A kernel belongs to the outermost operator around its launch; backward operators to the forward
/// one with the same sequence number. Throws Error bad_input naming `file` when nothing has a time.
[[nodiscard]] KinetoRun make_run(const KinetoTrace& trace, const KinetoOptions& options,
                                 const std::string& file);

}  // namespace ridge::import
