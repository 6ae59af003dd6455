// `ridge validate --dataset`: the GPU model on public rows, by unseen shapes and by devices never
// seen, beside baselines fitted on the same rows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/predict/gpu/calibration.hpp"
#include "validate/datasets/dataset.hpp"
#include "validate/gpu/baselines.hpp"
#include "validate/metrics.hpp"

namespace ridge::validate::kernels {

/// Rows that are fitted and scored together: one operator, pass and arithmetic of a data set.
struct Selection {
    std::string name;  ///< "deepbench convolution forward f32 NVIDIA"
    std::vector<KernelRow> train;
    std::vector<KernelRow> test;  ///< a part that the data set itself keeps apart; may be empty
};

struct Score {
    std::string selection, split;  ///< "shape", "device", "probe", "test part"
    std::string model;             ///< "model" or a baseline
    std::string device;            ///< empty: all devices pooled
    Metrics metrics;
};

/// How often the algorithm of a convolution was predicted, where the data tell which one ran.
struct ChoiceScore {
    std::string selection, device;
    std::size_t n = 0, right = 0;
    std::size_t majority = 0;        ///< right when always the device's most frequent one is said
    std::size_t winograd_right = 0;  ///< right about Winograd (of either kind) or not
};

/// The algorithm that a kernel's or an algorithm's name stands for; Kernel::none: another.
[[nodiscard]] gpu::Kernel algorithm_of(const std::string& name);

/// The row of a selection that the model misses most, in one split.
struct WorstCase {
    std::string selection, split, reproduction;
    double predicted_s = 0, measured_s = 0;
};

/// A held-out row of a network's log.
struct HeldLayer {
    std::string step;  ///< "SET PART NETWORK"
    std::string op;
    double predicted_s = 0, measured_s = 0;
};

struct Validation {
    std::vector<Score> scores;
    std::vector<HeldLayer> layers;
    std::vector<WorstCase> worst;
    std::vector<ChoiceScore> choices;
    std::map<std::string, gpu::Calibration> calibrations;  ///< "SELECTION/FAMILY", all rows
};

struct ValidationOptions {
    gpu::Switches switches;
    int folds = 4;
    /// Share of its sheet's f32 peak that each machine reaches in the one product that is its
    /// probe.
    std::map<std::string, double> probe_share;
    bool by_shape = true, by_device = true, probe = true, baselines = true;
};

/// Groups rows into selections, in the order of the data set.
[[nodiscard]] std::vector<Selection> selections_of(std::vector<KernelRow> rows);

/// Rows on which nothing is fitted: with calibrations made from other data sets.
void validate_as_it_comes(const std::vector<KernelRow>& rows,
                          const std::vector<gpu::CalibrationFile>& calibrations, Validation& out);

/// Constants of each class and family from all rows of the selections.
[[nodiscard]] gpu::CalibrationFile calibrate(const std::vector<Selection>& selections,
                                             const std::string& name);

/// Of the set's f32 products (single ones), the row of each machine nearest to M = N = K = 4096.
[[nodiscard]] std::map<std::string, double> probe_shares(const std::vector<Selection>& selections);

void validate_selection(const Selection& selection, const ValidationOptions& options,
                        Validation& out);

/// Architectures whose kernels are fitted together.
[[nodiscard]] std::string kernel_family(const gpu::Device& device);

}  // namespace ridge::validate::kernels
