// Which stored run and which of its rows a question is about.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridge/measurement.hpp"
#include "ridge/roofline.hpp"

namespace ridge {

/// What the user named: nothing, a run, a network, a layer line or a layer of a network.
struct Question {
    std::string target;               ///< as typed; empty: the newest run
    std::optional<std::int64_t> run;  ///< --run: the target then only chooses rows
};

struct Answer {
    std::int64_t run = 0;
    std::string layer;  ///< only rows of this layer; empty: all
};

/// The newest run that answers the question, complete ones before interrupted ones. A target is
/// taken for a run id when it is a number, else for a network or layer line of a run, else for a
/// layer of the newest run that has it. `runs` are newest first; `has_layer` looks into a run.
/// Throws Error bad_input that says what was looked for and how to collect it.
[[nodiscard]] Answer find_run(
    const Question& question, const std::vector<RunInfo>& runs,
    const std::function<bool(const RunInfo&, const std::string&)>& has_layer);

enum class RowOrder { layer, time, saving };
/// Indices of rows: only of `layer` unless that is empty, sorted (step order for RowOrder::layer,
/// else largest first), at most `top` unless that is 0.
[[nodiscard]] std::vector<std::size_t> select_rows(const RunAnalysis& analysis,
                                                   const std::string& layer, RowOrder order,
                                                   std::size_t top);

}  // namespace ridge
