// Fits the constants of a kernel class to measured rows of one or more devices.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/predict/gpu/predict.hpp"

namespace ridge::gpu {

struct FitRow {
    const Work* work = nullptr;
    double time_s = 0;
    std::size_t device = 0;  ///< index into the devices
};

/// What a calibration of one kernel class holds.
struct Calibration {
    Constants shared;  ///< with the geometric means of the device constants
    std::map<std::string, Constants> by_device;  ///< of each device that was fitted, by machine
    std::map<std::string, std::string> architecture;  ///< Device::family of each of them
    std::size_t rows = 0;
    /// log(predicted / measured) at the 10th and 90th percentile of the fitted rows, and the same
    /// over whole devices left out where that was measured (else 0, 0).
    double low = 0, high = 0;
};

/// Constants that a kind of work and its pass depend on.
[[nodiscard]] std::vector<Constant> constants_of(const Work& work);

/// At most `most_rows` of the rows are used, spread evenly over devices and rows.
[[nodiscard]] Calibration fit(const std::vector<Device>& devices, const std::vector<FitRow>& rows,
                              const Switches& switches = {}, std::size_t most_rows = 1200);

/// Constants for a device: its own where it was fitted, else the shared ones, with the means of the
/// fitted devices of its own architecture where there are any: their clocks behave alike.
[[nodiscard]] Constants constants_for(const Calibration& calibration, const Device& device);

/// Names of the fitted devices of the architecture nearest to `family`.
[[nodiscard]] std::vector<std::string> nearest_devices(const Calibration& calibration,
                                                       const std::string& family);
/// How far apart two architectures are, in generations; makers are far apart.
[[nodiscard]] int generations_between(const std::string& a, const std::string& b);

/// Shared constants with the device's `compute` (or, where memory binds, `bandwidth`) set so that
/// one measured row of it is met: the probe of a device that was never measured otherwise.
[[nodiscard]] Constants probed(const Constants& shared, const Work& work, double time_s,
                               const Device& device, const Switches& switches = {});

}  // namespace ridge::gpu
