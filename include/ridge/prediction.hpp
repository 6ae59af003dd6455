// How long a pass takes, by a model that was not run: a time with an interval, the term of every
// resource it was made from, and what the model was not calibrated for. The same struct for every
// predictor; who made it says `model`.
#pragma once

#include <string>
#include <vector>

#include "ridge/units.hpp"

namespace ridge {

/// Share of one resource in a predicted time.
struct PredictionTerm {
    std::string resource;  ///< "FMA", "load and store", "L2", "DRAM", "calls", "tail wave"...
    Seconds time;          ///< that this resource alone needs
    /// Part of `time` that the overlap rule lets through into the prediction: the contributions of
    /// all terms add up to Prediction::time.
    Seconds contribution;
    std::string detail;  ///< the demand and the capability it is made from, for people
};

/// A dimension in which a prediction lies outside what the model was calibrated on.
struct OutOfRange {
    std::string dimension;                      ///< "threads", "bytes", "kernel class"...
    double value = 0, lowest = 0, highest = 0;  ///< calibrated from lowest to highest
    std::string note;                           ///< one line for people
};

struct Prediction {
    Seconds time;
    /// Holds the measured time with probability `coverage`, by the residuals of the calibration.
    Seconds low, high;
    double coverage = 0.8;
    std::vector<PredictionTerm> terms;     ///< longest `contribution` first
    std::string binding;                   ///< resource of the longest contribution
    std::vector<OutOfRange> out_of_range;  ///< each widened the interval; empty: inside
    std::string model;                     ///< "cpu, traced demand", "gpu, tile and wave"...
    std::string kernel;                    ///< kernel class or algorithm that was assumed
};

}  // namespace ridge
