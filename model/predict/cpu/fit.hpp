// Fits the constants of a calibration to measured rows.
#pragma once

#include <span>
#include <string>

#include "model/predict/cpu/calibration.hpp"

namespace ridge::cpu {

/// A measured row. Nothing else of a measurement reaches the fit.
struct FitRow {
    Terms terms;
    Family family = Family::convolution;
    std::string class_name;
    std::string group;  ///< rows of a group are held out together to get honest residuals (network)
    double time_s = 0;
    double flops = 0, footprint_bytes = 0;
    std::int64_t batch = 1;
    int threads = 1;
};

struct FitOptions {
    Overlap overlap = Overlap::hard_core;
    bool class_efficiency = true;
    /// Loss for a factor e that a class is off its family: for convolutions, whose terms tell
    /// nearly everything, and for all others.
    double convolution_class_prior = 0.5, other_class_prior = 0.5;
    bool residuals = true;  ///< refit without each group in turn to get the intervals
};

/// Minimises the mean of a robust loss of log(predicted / measured) plus the distance of the
/// constants from the prior. Families without rows keep the prior. Throws Error bad_input without
/// any row.
[[nodiscard]] Calibration fit(std::span<const FitRow> rows, const FitOptions& options = {});

/// Predicted seconds of a row by a calibration: the equation and the class's efficiency.
[[nodiscard]] double predict_time(const FitRow& row, const Calibration& calibration,
                                  Overlap overlap = Overlap::hard_core);
/// Residuals that hold for a row's class, the family's where the class has too few.
[[nodiscard]] const Residuals& residuals_of(const Calibration& calibration, Family family,
                                            const std::string& class_name);

}  // namespace ridge::cpu
