// Predicts every held-out row by a model that never saw it, beside the baselines.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/predict/cpu/fit.hpp"
#include "ridge/machine.hpp"
#include "validate/metrics.hpp"
#include "validate/splits.hpp"

namespace ridge::validate {

/// A held-out row.
struct Case {
    std::size_t row = 0;  ///< in the reference set
    std::string fold;
    Outcome model;
    double machine_file_s = 0;                 ///< the equation without any fitted constant
    std::map<std::string, double> baseline_s;  ///< by name
};

struct SplitResult {
    SplitKind split = SplitKind::network;
    std::vector<std::string> folds;
    std::vector<Case> cases;
};

struct EvaluateOptions {
    bool analytic = false;  ///< demand from dimensions instead of the traced one
    bool baselines = true;
    cpu::Overlap overlap = cpu::Overlap::hard_core;
    cpu::FitOptions fit = {};
};

/// Rows as the fit takes them; the demand is the traced one where there is one and it is asked for.
[[nodiscard]] std::vector<cpu::FitRow> fit_rows(std::span<const ReferenceRow> rows,
                                                const Machine& machine, bool analytic);

[[nodiscard]] SplitResult evaluate(std::span<const ReferenceRow> rows, const Machine& machine,
                                   SplitKind split, std::span<const std::string> closed,
                                   const EvaluateOptions& options);

enum class Group { convolution, other, all };
[[nodiscard]] std::string_view to_string(Group group);
/// Outcomes of a group, of one fold or of all (empty name), by the model or a baseline.
[[nodiscard]] std::vector<Outcome> outcomes(const SplitResult& result,
                                            std::span<const ReferenceRow> rows, Group group,
                                            const std::string& fold, const std::string& model);

/// Error of the summed layers for each network, batch, threads and state: count x time.
struct StepError {
    std::string fold, network;
    std::int64_t batch = 1;
    int threads = 1;
    CacheState state = CacheState::warm;
    double predicted_s = 0, measured_s = 0;
    [[nodiscard]] double error() const { return predicted_s / measured_s - 1; }
};
[[nodiscard]] std::vector<StepError> step_errors(const SplitResult& result,
                                                 std::span<const ReferenceRow> rows,
                                                 const std::string& model);

/// |a / b - 1| of rows of a step that do the same, measured apart: (largest / smallest - 1) / 2.
[[nodiscard]] std::vector<double> noise_floor(std::span<const ReferenceRow> rows, Group group,
                                              int threads, CacheState state);

}  // namespace ridge::validate
