// The output of `benchdnn --mode=P`: one measured problem per line that begins with "perf,".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/import/byte_stream.hpp"
#include "collectors/import/imported_run.hpp"

namespace ridge::import {

struct BenchdnnRun {
    RunInfo info;
    std::vector<ImportedRow> rows;
    std::int64_t lines = 0, measured = 0, damaged = 0;
    std::vector<std::string> notes;  ///< one line each
};

struct BenchdnnOptions {
    std::string driver;  ///< of problems that do not tell; empty: from the problem's keys
    std::string name, machine, imported_at, command, ridge_version;
    int threads = 1;
};

/// Reads the three layouts that releases print and the one that "Output template:" announces. A
/// row's time is the least that benchdnn saw; its median column holds the average. A line whose
/// operations, time and rate contradict each other is damaged. Throws Error bad_input, naming
/// `file`, when nothing was measured.
[[nodiscard]] BenchdnnRun read_benchdnn_perf(ByteStream& bytes, const BenchdnnOptions& options,
                                             const std::string& file);

}  // namespace ridge::import
