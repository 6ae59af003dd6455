// What a reader wants to know first about a run: how long, what bounds it, what could be saved,
// how far to trust it. One set of facts for the terminal and the report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "ridge/roofline.hpp"

namespace ridge::report {

/// Time of the rows with one verdict.
struct BoundShare {
    std::string what;  ///< "compute", "DRAM", "overhead", "compute and L2", "undetermined"
    std::size_t rows = 0;
    Seconds time;
    double share = 0;  ///< of the sum
};

struct KindShare {
    LayerKind kind = LayerKind::convolution;
    std::size_t rows = 0;
    Seconds time;
    double share = 0;
    Flops useful_flops;
};

struct Trust {
    std::size_t rows = 0, settled = 0, upper_bound = 0, flagged = 0;
    double upper_bound_share = 0;  ///< of the summed time
    int samples = 0, quiet_samples = 0;
};

struct Summary {
    std::vector<BoundShare> bounds;           ///< longest first
    std::vector<KindShare> kinds;             ///< longest first
    std::vector<const RowAnalysis*> savings;  ///< largest saved_at_roof first; point into the run
    Seconds saved_at_roof;                    ///< of all rows
    Trust trust;
};
[[nodiscard]] Summary summarise(const RunAnalysis& run);

/// "alexnet, batch 8, f32, 1 thread, oneDNN 2.6.3 (avx512_core), in_step"
[[nodiscard]] std::string run_title(const RunInfo& info);
/// "12.3 ms, between 12.2 and 12.5 ms (90 %)"; says why when there is none.
[[nodiscard]] std::string step_text(const RunAnalysis& run);
/// One sentence each, most important first: the seed question (share of convolution), the sum
/// against the step, what bounds how much.
[[nodiscard]] std::vector<std::string> findings(const RunAnalysis& run, const Summary& summary);
/// Reasons for caution, one sentence each; empty when there is none.
[[nodiscard]] std::vector<std::string> caveats(const RunAnalysis& run, const Summary& summary);

/// "90 % of the step's time traced and simulated, 10 % analytic, 0 % none: what and why".
[[nodiscard]] std::string coverage_text(const Coverage& coverage);
/// Where the bytes of the rows come from, in one sentence.
[[nodiscard]] std::string bytes_text(const RunAnalysis& run);
/// What is not traced, by implementation, with its layers.
[[nodiscard]] Table coverage_table(const Coverage& coverage);

[[nodiscard]] Table bounds_table(const Summary& summary);
[[nodiscard]] Table kinds_table(const Summary& summary);
/// The `count` rows where reaching the roof would save most.
[[nodiscard]] Table savings_table(const Summary& summary, std::size_t count);

}  // namespace ridge::report
