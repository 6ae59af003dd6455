// From a row's demand and its measured time to its place under the roofs and its verdict.
#pragma once

#include <string>
#include <vector>

#include "model/roofline/demand.hpp"
#include "ridge/roofline.hpp"

namespace ridge {

/// Two terms of different kinds (compute, memory, overhead) within this ratio are balanced.
inline constexpr double balanced_ratio = 0.9;
/// When no resource is busy for a third of the time, none is called the bound.
inline constexpr double explained_share = 1.0 / 3;
/// Ceilings and times each repeat to about this on a machine that is not quiet.
inline constexpr double repeatability = 0.05;
/// Below this share of its roof a row's verdict names the likely reasons.
inline constexpr double efficient_share = 0.6;

/// What a row's verdict may quote beside its own columns.
struct RowContext {
    std::string library_version;  ///< "2.6.3"
    std::string cpu_model;        ///< of the machine that ran it
    CacheState state = CacheState::warm;
};

/// The whole analysis of one row but for its share of the step.
[[nodiscard]] RowAnalysis analyse_row(const Measurement& row, const Demand& demand,
                                      const Roofline& roofline, const RowContext& context);

/// Steps of analyse_row, each reads what the ones before it filled in.
void add_flags(RowAnalysis& analysis, const Demand& demand, const Roofline& roofline);
/// Likely reasons for the distance to the roof, only those that the row's own data support.
[[nodiscard]] std::vector<std::string> likely_reasons(const RowAnalysis& analysis,
                                                      const Demand& demand,
                                                      const Roofline& roofline,
                                                      const RowContext& context);
[[nodiscard]] std::string verdict_sentence(const RowAnalysis& analysis,
                                           const std::vector<std::string>& reasons);

/// What a kernel executes beyond the useful work, as far as its time allows: whole padded blocks
/// and only the instruction set of its name would need a time that it may not have taken.
struct ExecutedWork {
    double padding = 1;       ///< executed / useful FLOPs
    const ComputeRoof* roof;  ///< highest that the kernel can reach
    [[nodiscard]] Seconds time(Flops useful) const { return useful * padding / roof->rate; }
};
/// Precondition: the roofline has a compute roof.
[[nodiscard]] ExecutedWork executed_work(const Measurement& row, const Demand& demand,
                                         const Roofline& roofline);

/// A roof so far below the highest that a kernel held to it is worth a remark.
[[nodiscard]] bool is_narrow(const ComputeRoof& roof, const Roofline& roofline);

/// Longest least time of the terms; 0 when there is none.
[[nodiscard]] Seconds least_time(const std::vector<Term>& terms);
[[nodiscard]] bool is_memory(const Term& term);
/// oneDNN's plain C++ code behind names with the part "ref" or "simple".
[[nodiscard]] bool is_reference_kernel(const Measurement& row);
[[nodiscard]] bool is_winograd(const Measurement& row);
/// More than one assist per thousand instructions: the kernel works on denormal numbers.
[[nodiscard]] bool denormals_found(double assists, double instructions);
/// AMX tiles and bf16 or int8 dot products are in no floating-point counter.
[[nodiscard]] bool flops_not_countable(const Measurement& row);

}  // namespace ridge
