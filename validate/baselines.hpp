// What a user would do without this model, fitted on the same rows and judged on the same rows.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/predict/cpu/capability.hpp"
#include "validate/reference_rows.hpp"

namespace ridge::validate {

enum class Baseline {
    roofline,         ///< max(F / peak, B / memory bandwidth)
    one_percentage,   ///< (F / peak + B / bandwidth) / e, one e
    three_constants,  ///< max(F / (e1 peak), B / (e2 bandwidth)) + t0
    class_linear,     ///< a F + b B + c, for each kernel class
    boosted_trees,    ///< on shapes
};
inline constexpr std::array all_baselines{Baseline::roofline, Baseline::one_percentage,
                                          Baseline::three_constants, Baseline::class_linear,
                                          Baseline::boosted_trees};
[[nodiscard]] std::string_view to_string(Baseline baseline);

/// F: useful FLOPs; B: least bytes; peak and bandwidths per busy thread times the threads.
struct BaselineRow {
    double flops = 0, bytes = 0;
    double compute_s = 0, memory_s = 0;
    double time_s = 0;  ///< measured
    std::string class_name;
    bool convolution = false;
    std::vector<double> shape;  ///< features of the trees
};
[[nodiscard]] BaselineRow baseline_row(const ReferenceRow& row, const cpu::Capability& capability);

class FittedBaseline {
public:
    virtual ~FittedBaseline() = default;
    [[nodiscard]] virtual double predict(const BaselineRow& row) const = 0;
};

/// Learns from `train` alone; what has no constants ignores it.
[[nodiscard]] std::unique_ptr<FittedBaseline> fit_baseline(Baseline baseline,
                                                           std::span<const BaselineRow> train);

}  // namespace ridge::validate
