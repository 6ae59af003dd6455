// A whole run under the roofs of a machine.

#include <map>
#include <optional>

#include "model/roofline/coverage.hpp"
#include "model/roofline/demand.hpp"
#include "model/roofline/row_analysis.hpp"
#include "model/roofline/step_reuse.hpp"
#include "ridge/error.hpp"
#include "ridge/roofline.hpp"

namespace ridge {
namespace {

struct ParsedRow {
    std::optional<Layer> layer;
    std::string error;
    std::vector<std::optional<Bytes>> distances;
};

ParsedRow parse_row(const Measurement& row) {
    ParsedRow parsed;
    try {
        parsed.layer = parse_layer(row.problem);
        parsed.layer->dtype = row.dtype;
    } catch (const Error& error) {
        parsed.error = error.what();
    }
    return parsed;
}

/// Where each tensor was before the row, by the run's cache state: nowhere near when cold; as far
/// as the row's own tensors when it is repeated alone; as the step left it in the step.
void set_distances(std::vector<ParsedRow>& rows, const Run& run) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].layer) continue;
        const Pass pass = run.rows[i].key.pass;
        const auto count = tensors(*rows[i].layer, pass).size();
        const auto warm = footprint(*rows[i].layer, pass);
        rows[i].distances.assign(
            count, run.info.state == CacheState::cold ? std::nullopt : std::optional<Bytes>(warm));
    }
    if (run.info.state != CacheState::in_step) return;
    std::vector<StepRow> step;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& key = run.rows[i].key;
        step.push_back(step_row(
            key, rows[i].layer ? tensors(*rows[i].layer, key.pass) : std::vector<TensorUse>{}));
    }
    const auto distances = reuse_distances(step);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].distances.assign(distances[i].begin(), distances[i].end());
}

RowAnalysis unreadable(const Measurement& row, const std::string& error) {
    RowAnalysis analysis;
    analysis.row = row;
    analysis.flags.push_back("unknown problem: " + error);
    analysis.verdict =
        "undetermined: the problem of this row cannot be read (0 FLOPs, 0 bytes known)";
    return analysis;
}

/// A verdict that its own row refutes is a bug of the analysis: no view may print it as a fact.
void withhold_if_refuted(RowAnalysis& row) {
    const auto found = contradictions(row);
    if (found.empty()) return;
    row.bound = Bound::undetermined;
    row.bound_level.clear();
    row.flags.push_back("contradiction: " + found.front());
    row.verdict = "withheld, because it contradicted its row (please report this): " + row.verdict;
}

/// Convolution's own passes (the update is not convolution) and the reorders around them.
double convolution_share(const Run& run, Seconds sum) {
    if (!(sum.value() > 0)) return 0;
    std::map<std::string, bool> convolutions;
    for (const auto& row : run.rows)
        if (row.key.part.empty() && row.kind == LayerKind::convolution)
            convolutions[row.key.layer] = true;
    Seconds time;
    for (const auto& row : run.rows)
        if (convolutions.contains(row.key.layer) && row.key.pass != Pass::update)
            time += row.time.time;
    return time / sum;
}

}  // namespace

RunAnalysis analyse(const Run& run, const Machine& machine) {
    RunAnalysis analysis;
    analysis.info = run.info;
    analysis.machine = machine.name;
    analysis.roofline = make_roofline(machine, run.info.dtype, run.info.threads);
    analysis.step = run.step;

    const auto& environment = run.info.environment;
    const RowContext context{environment.library_version, environment.cpu_model, run.info.state};
    std::map<DataType, Roofline> rooflines;  // an update in f32 within a bf16 run has its own roofs
    std::vector<ParsedRow> parsed;
    for (const auto& row : run.rows) parsed.push_back(parse_row(row));
    set_distances(parsed, run);

    for (std::size_t i = 0; i < run.rows.size(); ++i) {
        const auto& row = run.rows[i];
        analysis.sum += row.time.time;
        if (!parsed[i].layer) {
            analysis.rows.push_back(unreadable(row, parsed[i].error));
            continue;
        }
        const auto roofline =
            rooflines.try_emplace(row.dtype, make_roofline(machine, row.dtype, run.info.threads))
                .first;
        const auto demand = demand_of(*parsed[i].layer, row, parsed[i].distances, roofline->second);
        analysis.rows.push_back(analyse_row(row, demand, roofline->second, context));
        withhold_if_refuted(analysis.rows.back());
    }
    for (auto& row : analysis.rows)
        if (analysis.sum.value() > 0) row.share_of_step = row.row.time.time / analysis.sum;
    if (run.step && run.step->time.time.value() > 0)
        analysis.sum_over_step = analysis.sum / run.step->time.time;
    analysis.convolution_share = convolution_share(run, analysis.sum);
    analysis.coverage = coverage_of(analysis);
    return analysis;
}

}  // namespace ridge
