// The job behind `ridge predict`, shared by the verbs that need a predicted step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/ridge/network_argument.hpp"
#include "model/predict/cpu/predictor.hpp"
#include "ridge/demand.hpp"
#include "ridge/network.hpp"
#include "ridge/prediction.hpp"

namespace ridge::app {

struct PredictedRow {
    DemandRow row;
    Prediction prediction;            ///< meaningless where row.unavailable is set
    std::optional<Seconds> measured;  ///< where a run was asked for that has this row
};

struct PredictedStep {
    std::string network, machine, calibration;
    std::int64_t batch = 1;
    int threads = 1;
    CacheState state = CacheState::warm;
    Source demand = Source::algorithmic;
    std::vector<PredictedRow> rows;
    Seconds time, low, high;  ///< of the rows together
    double convolution_share = 0;
    std::vector<std::string> notes;
};

struct PredictTask {
    const Network* network = nullptr;
    const Machine* machine = nullptr;
    cpu::Calibration calibration;
    int threads = 1;
    CacheState state = CacheState::warm;
};

[[nodiscard]] PredictedStep predict_step(const PredictTask& task, DemandSource& source);

/// Sums of the rows. Interval of a sum: the rows of a kernel class err together, different classes
/// independently.
void add_up(PredictedStep& step);

/// A network by name or file at a batch, or a network of one layer line (batch 0: the line's own).
[[nodiscard]] Network network_or_layer(const NetworkArgument& argument);

/// `name` or path; empty: this machine's own file, else the one that ships.
[[nodiscard]] cpu::Calibration calibration_or_default(const std::string& name);
/// Where `ridge calibrate` writes.
[[nodiscard]] std::string local_calibration_path();

}  // namespace ridge::app
