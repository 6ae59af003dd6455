// `validate --dataset` and `calibrate --dataset`: the GPU model on public data sets.
#pragma once

#include <string>

#include "ridge/error.hpp"

namespace ridge::app {

struct DataSetTask {
    std::string set;      ///< name, or "all"
    std::string data;     ///< folder; empty: RIDGE_DATA_DIR
    std::string rows;     ///< only selections whose name holds this
    std::string without;  ///< elements of the model that are left out, separated by commas
    std::string docs;     ///< Markdown file whose section is replaced
    bool baselines = true, json = false;
};

ExitCode validate_data_set(const DataSetTask& task);

/// Writes a calibration of the set's rows to `output`.
ExitCode calibrate_data_set(const DataSetTask& task, const std::string& output);

}  // namespace ridge::app
