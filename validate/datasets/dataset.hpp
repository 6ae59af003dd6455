// Public measurements of GPU and CPU kernels as rows that the predictor can be held against. Their
// origin, units and traps: docs/accuracy.md, "Public data sets".
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/predict/gpu/work.hpp"

namespace ridge::validate {

struct KernelRow {
    std::string set;      ///< "deepbench", "neusight"...
    std::string part;     ///< "train", "test", or the framework that ran it
    std::string device;   ///< as the data set calls it
    std::string machine;  ///< our machine file
    std::string op;       ///< table it is reported in: "gemm", "convolution", "linear", "bmm"...
    gpu::Work work;
    double time_s = 0;
    double spread = -1;  ///< (max - min) / median of its repetitions; negative: unknown
    std::string kernel;  ///< name of the executed kernel or algorithm; empty: unknown
    std::string layer;   ///< name in its network; empty: a single kernel
    std::size_t line = 0;
};

/// What a reader did with the rows of its files.
struct ReadReport {
    std::size_t rows = 0;                        ///< read, skipped ones included
    std::map<std::string, std::size_t> skipped;  ///< by reason
};

using RowSink = std::function<void(KernelRow&&)>;

struct DataSet {
    std::string_view name;
    std::string_view folder;  ///< within the data directory
    ReadReport (*read)(const std::string& folder, const RowSink& sink);
};

/// All sets that have a reader.
[[nodiscard]] const std::vector<DataSet>& data_sets();
/// Throws Error bad_input with the list of sets.
[[nodiscard]] const DataSet& data_set(std::string_view name);

/// `given` (an option), or $RIDGE_DATA_DIR. Throws Error not_possible when neither names a folder.
[[nodiscard]] std::string data_directory_of(const std::string& given);

/// Every row of a set below the data directory. Throws Error bad_input for a malformed file and
/// not_possible when the set's files are not there.
ReadReport read_data_set(const DataSet& set, const std::string& data_directory,
                         const RowSink& sink);

ReadReport read_deepbench(const std::string& folder, const RowSink& sink);
ReadReport read_neusight(const std::string& folder, const RowSink& sink);
ReadReport read_aiconfigurator(const std::string& folder, const RowSink& sink);
ReadReport read_convnet_benchmarks(const std::string& folder, const RowSink& sink);
ReadReport read_justus2018(const std::string& folder, const RowSink& sink);
ReadReport read_triosim(const std::string& folder, const RowSink& sink);

}  // namespace ridge::validate
