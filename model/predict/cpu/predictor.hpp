// A row's demand on a machine with a calibration: the prediction that every view prints.
#pragma once

#include <string>

#include "model/predict/cpu/calibration.hpp"
#include "ridge/demand.hpp"
#include "ridge/prediction.hpp"

namespace ridge::cpu {

/// Everything that predicting one row after the other shares.
class Predictor {
public:
    /// Throws Error bad_input for a machine that lacks what a prediction needs.
    Predictor(const Machine& machine, Calibration calibration, int threads, CacheState state);

    [[nodiscard]] Prediction predict(const Layer& layer, Pass pass, const PassDemand& demand) const;
    /// The time alone, for sweeps over many configurations.
    [[nodiscard]] double seconds(const Layer& layer, Pass pass, const PassDemand& demand) const;

    [[nodiscard]] const Calibration& calibration() const { return calibration_; }
    [[nodiscard]] const Capability& capability() const { return capability_; }

private:
    void check_range(Prediction& prediction, const Layer& layer, Family family,
                     const std::string& class_name, const PassDemand& demand) const;

    Capability capability_;
    Calibration calibration_;
    std::string machine_;
    CacheState state_;
};

}  // namespace ridge::cpu
