// Calibrated constants of kernel classes in readable files, one a data set: data/calibrations/gpu.
#pragma once

#include <string>
#include <vector>

#include "model/predict/gpu/fit.hpp"

namespace ridge::gpu {

/// One kernel class on one kernel family.
struct ClassCalibration {
    std::string kernel_class;  ///< class_of
    std::string family;        ///< kernel_family
    Calibration constants;
};

struct CalibrationFile {
    std::string name;        ///< of the data set
    std::string provenance;  ///< which rows, by which command
    std::vector<ClassCalibration> classes;
};

/// "convolution forward f32", "gemm tensor", "batched gemm f32", "softmax f32"...
[[nodiscard]] std::string class_of(const Work& work);
/// Architectures whose kernels are fitted together: those that run the same binaries.
[[nodiscard]] std::string kernel_family(const std::string& family);

/// Throws Error bad_input with file, line and key.
[[nodiscard]] CalibrationFile calibration_from_yaml(const std::string& text,
                                                    const std::string& file);
[[nodiscard]] std::string calibration_to_yaml(const CalibrationFile& file);
/// The files that ship.
[[nodiscard]] std::vector<CalibrationFile> shipped_calibrations();

/// Constants for a class on a device, and how near to it they were fitted.
struct Chosen {
    const ClassCalibration* from = nullptr;
    Constants constants;
    bool same_device = false, same_family = false, same_class = false;
};
/// Prefers rows of the device itself, then of its family, then of the nearest one; a class that
/// nobody measured takes the constants of a related one. Throws Error job_failed without any.
[[nodiscard]] Chosen choose(const std::vector<CalibrationFile>& files,
                            const std::string& kernel_class, const Device& device);

}  // namespace ridge::gpu
