// The few constants of a machine, with the range and the residuals of the rows they come from: one
// readable YAML file (docs/formats.md, "Calibration files").
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "model/predict/cpu/kernel_class.hpp"
#include "model/predict/cpu/time_model.hpp"

namespace ridge::cpu {

struct Range {
    double lowest = 0, highest = 0;
    [[nodiscard]] bool holds(double value) const { return lowest <= value && value <= highest; }
    bool operator==(const Range&) const = default;
};

/// 10 % and 90 % quantiles of log(measured / predicted) on rows that the fit did not see.
struct Residuals {
    double low = -0.3, high = 0.3;
    int rows = 0;
    bool operator==(const Residuals&) const = default;
};

struct FamilyModel {
    Constants constants;
    Residuals residuals;
    Range flops, footprint_bytes;
};

struct ClassModel {
    double efficiency = 1;  ///< factor on the family's time
    double memory = 1;      ///< factor on its memory terms: how well its accesses are prefetched
    Residuals residuals;
};

struct Calibration {
    std::string name, machine, made_at, library;
    std::string provenance;  ///< which rows, by which command; one line
    Range batch{1, 1}, threads{1, 1};
    std::array<FamilyModel, families> family{};
    std::map<std::string, ClassModel> classes;

    [[nodiscard]] const FamilyModel& of(Family f) const {
        return family[static_cast<std::size_t>(f)];
    }
    [[nodiscard]] FamilyModel& of(Family f) { return family[static_cast<std::size_t>(f)]; }
};

/// Where a fit starts and what it is held to where data is thin.
[[nodiscard]] Calibration prior_calibration();

/// By path, or by name from data/calibrations. Throws Error bad_input.
[[nodiscard]] Calibration load_calibration(const std::string& name_or_path);
void save_calibration(const Calibration& calibration, const std::string& path);

}  // namespace ridge::cpu
