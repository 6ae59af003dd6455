#include "model/explain/json.hpp"

#include <numeric>

namespace ridge {
namespace {

template <class Quantity>
Json quantity_or_null(const std::optional<Quantity>& quantity) {
    return quantity ? json_number(quantity->value()) : Json(nullptr);
}

Json to_json(const ComputeRoof& roof) {
    return {{"name", roof.name},
            {"isa", to_string(roof.isa)},
            {"fma", roof.fma},
            {"flops_per_s", json_number(roof.rate.value())},
            {"source", to_string(roof.source)}};
}

Json to_json(const BandwidthRoof& roof) {
    Json kinds = Json::array();
    for (const auto& kind : roof.kinds)
        kinds.push_back({{"kind", to_string(kind.kind)},
                         {"non_temporal", kind.non_temporal},
                         {"bytes_per_s", json_number(kind.rate.value())}});
    return {{"level", roof.level},
            {"bytes_per_s", json_number(roof.rate.value())},
            {"source", to_string(roof.source)},
            {"kinds", kinds},
            {"capacity_bytes", quantity_or_null(roof.capacity)},
            {"ridge_flops_per_byte", quantity_or_null(roof.ridge)}};
}

Json to_json(const Term& term) {
    return {{"resource", term.resource},
            {"ceiling", term.ceiling},
            {"least_time_s", json_number(term.time.value())},
            {"busy_time_s", json_number(term.busy.value())},
            {"share_of_time", json_number(term.share)},
            {"bytes", quantity_or_null(term.bytes)},
            {"bytes_source", term.bytes ? Json(to_string(term.bytes_source)) : Json(nullptr)},
            {"bandwidth_bytes_per_s", quantity_or_null(term.bandwidth)}};
}

Json to_json(const Coverage& coverage) {
    Json gaps = Json::array();
    for (const CoverageGap& gap : coverage.gaps) {
        Json rows = Json::array();
        for (const RowKey& key : gap.rows)
            rows.push_back(
                {{"layer", key.layer}, {"pass", to_string(key.pass)}, {"part", key.part}});
        gaps.push_back({{"implementation", gap.implementation},
                        {"reason", gap.reason},
                        {"analytic", gap.analytic},
                        {"partly_traced", gap.partly},
                        {"share_of_rows", json_number(gap.share)},
                        {"rows", rows}});
    }
    return {{"traced_and_simulated_share", json_number(coverage.traced)},
            {"analytic_share", json_number(coverage.analytic)},
            {"none_share", json_number(coverage.none)},
            {"not_traced", gaps}};
}

/// Why a row has no place on the intensity axis; nothing when it has.
const char* intensity_reason(const RowAnalysis& row) {
    if (row.intensity) return nullptr;
    if (!(row.row.time.time.value() > 0)) return "the row was not measured";
    return row.useful_flops.value() > 0 ? "no bytes are known for this row"
                                        : "this kind of layer has no arithmetic";
}

}  // namespace

Json to_json(const Roofline& roofline) {
    Json compute = Json::array(), bandwidth = Json::array();
    for (const auto& roof : roofline.compute) compute.push_back(to_json(roof));
    for (const auto& roof : roofline.bandwidth) bandwidth.push_back(to_json(roof));
    return {{"threads", roofline.threads},
            {"dtype", to_string(roofline.dtype)},
            {"compute", compute},
            {"bandwidth", bandwidth},
            {"call_overhead_s", quantity_or_null(roofline.call_overhead)},
            {"sse_transition_s", quantity_or_null(roofline.sse_transition)},
            {"sse_transition_source", roofline.sse_transition
                                          ? Json(to_string(roofline.sse_transition_source))
                                          : Json(nullptr)}};
}

Json to_json(const RowAnalysis& row) {
    Json terms = Json::array();
    for (const auto& term : row.terms) terms.push_back(to_json(term));
    Json json = to_json(row.row);
    json["useful_flops"] = json_number(row.useful_flops.value());
    json["useful_flops_source"] = to_string(Source::algorithmic);
    json["executed_flops"] = to_json(row.executed_flops);
    json["minimum_bytes"] = json_number(row.minimum_bytes.value());
    json["footprint_bytes"] = json_number(row.footprint.value());
    json["level"] = row.level.empty() ? Json(nullptr) : Json(row.level);
    json["bytes"] = json_number(row.bytes.value());
    json["bytes_source"] = to_string(row.bytes_source);
    json["intensity_flops_per_byte"] = quantity_or_null(row.intensity);
    if (const char* reason = intensity_reason(row)) json["intensity_unavailable"] = reason;
    json["rate_flops_per_s"] = quantity_or_null(row.rate);
    json["traffic_bytes_per_s"] = json_number(row.traffic_rate.value());
    json["bandwidth_bytes_per_s"] = quantity_or_null(row.bandwidth);
    json["bandwidth_kind"] = row.bandwidth_kind;
    json["peak_flops_per_s"] = quantity_or_null(row.peak);
    json["roof_flops_per_s"] = quantity_or_null(row.roof);
    json["attained_share_of_roof"] = json_number(row.attained);
    json["terms"] = terms;
    json["bound"] = to_string(row.bound);
    json["bound_level"] = row.bound_level.empty() ? Json(nullptr) : Json(row.bound_level);
    json["runner_up"] = row.runner_up.empty() ? Json(nullptr) : Json(row.runner_up);
    json["saved_at_roof_s"] = json_number(row.saved_at_roof.value());
    json["share_of_step"] = json_number(row.share_of_step);
    json["verdict"] = row.verdict;
    json["flags"] = row.flags;
    return json;
}

Json to_json(const RunAnalysis& analysis, const std::vector<std::size_t>& rows) {
    Json list = Json::array();
    for (const std::size_t index : rows) list.push_back(to_json(analysis.rows.at(index)));
    Json json{{"run", to_json(analysis.info)},
              {"machine", analysis.machine},
              {"roofline", to_json(analysis.roofline)},
              {"step", analysis.step ? to_json(*analysis.step) : Json(nullptr)}};
    if (!analysis.step) json["step_unavailable"] = "the step was not timed as a whole in this run";
    json["sum_of_rows_s"] = json_number(analysis.sum.value());
    json["sum_over_step"] = analysis.sum_over_step ? json_number(*analysis.sum_over_step) : nullptr;
    json["convolution_share"] = json_number(analysis.convolution_share);
    json["coverage"] = to_json(analysis.coverage);
    json["rows"] = list;
    return json;
}

Json to_json(const RunAnalysis& analysis) {
    std::vector<std::size_t> all(analysis.rows.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return to_json(analysis, all);
}

}  // namespace ridge
