#include "validate/evaluate.hpp"

#include <cmath>
#include <memory>
#include <tuple>

#include "model/predict/cpu/analytic_demand.hpp"
#include "model/predict/cpu/kernel_class.hpp"
#include "validate/baselines.hpp"

namespace ridge::validate {
namespace {

bool in_group(const ReferenceRow& row, Group group) {
    if (group == Group::all) return true;
    const bool convolution = cpu::family_of(row.layer.kind, row.work()) == cpu::Family::convolution;
    return convolution == (group == Group::convolution);
}

class Capabilities {
public:
    explicit Capabilities(const Machine& machine) : machine_(machine) {}
    const cpu::Capability& at(int threads) {
        auto found = known_.find(threads);
        if (found == known_.end())
            found = known_.emplace(threads, cpu::capability_of(machine_, threads)).first;
        return found->second;
    }

private:
    const Machine& machine_;
    std::map<int, cpu::Capability> known_;
};

Case predict_case(std::size_t index, const cpu::FitRow& row, const Fold& fold,
                  const cpu::Calibration& calibration, const EvaluateOptions& options) {
    Case c;
    c.row = index;
    c.fold = fold.name;
    const double time = cpu::predict_time(row, calibration, options.overlap);
    const cpu::Residuals& r = cpu::residuals_of(calibration, row.family, row.class_name);
    c.model = {time, row.time_s, time * std::exp(r.low), time * std::exp(r.high), 1};
    c.machine_file_s =
        cpu::time_of(row.terms, cpu::machine_file_constants(), cpu::Overlap::all_maximum);
    return c;
}

}  // namespace

std::string_view to_string(Group group) {
    switch (group) {
        case Group::convolution:
            return "convolution";
        case Group::other:
            return "other layers";
        case Group::all:
            return "all";
    }
    return "all";
}

std::vector<cpu::FitRow> fit_rows(std::span<const ReferenceRow> rows, const Machine& machine,
                                  bool analytic) {
    Capabilities capabilities(machine);
    const cpu::CacheSizes caches = cpu::cache_sizes(machine);
    std::vector<cpu::FitRow> result;
    for (const ReferenceRow& row : rows) {
        cpu::FitRow f;
        const bool traced = !analytic && row.has_demand;
        PassDemand demand =
            traced ? row.demand : cpu::analytic_demand(row.layer, row.work(), caches, row.threads);
        // What the step touched between two uses follows from shapes alone, whoever counts.
        if (row.state == CacheState::in_step && row.reuse_bytes > 0)
            demand.footprint = Bytes(row.reuse_bytes);
        f.terms = cpu::terms_of(demand, capabilities.at(row.threads), row.state);
        f.family = cpu::family_of(row.layer.kind, row.work());
        f.class_name = cpu::class_of(row.layer, row.work());
        f.group = row.network;
        f.time_s = row.time_s;
        f.flops = demand.useful.value();
        f.footprint_bytes = demand.footprint.value();
        f.batch = row.batch;
        f.threads = row.threads;
        result.push_back(std::move(f));
    }
    return result;
}

SplitResult evaluate(std::span<const ReferenceRow> rows, const Machine& machine, SplitKind split,
                     std::span<const std::string> closed, const EvaluateOptions& options) {
    const auto all = fit_rows(rows, machine, options.analytic);
    std::vector<BaselineRow> shapes;
    Capabilities capabilities(machine);
    if (options.baselines)
        for (const ReferenceRow& row : rows)
            shapes.push_back(baseline_row(row, capabilities.at(row.threads)));
    cpu::FitOptions fit_options = options.fit;
    fit_options.overlap = options.overlap;
    SplitResult result;
    result.split = split;
    for (const Fold& fold : make_folds(rows, split, closed)) {
        result.folds.push_back(fold.name);
        std::vector<cpu::FitRow> train;
        for (const std::size_t i : fold.train) train.push_back(all[i]);
        const cpu::Calibration calibration = cpu::fit(train, fit_options);
        std::vector<std::pair<std::string, std::unique_ptr<FittedBaseline>>> baselines;
        if (options.baselines) {
            std::vector<BaselineRow> seen;
            for (const std::size_t i : fold.train) seen.push_back(shapes[i]);
            for (const Baseline b : all_baselines)
                baselines.emplace_back(to_string(b), fit_baseline(b, seen));
        }
        for (const std::size_t i : fold.test) {
            result.cases.push_back(predict_case(i, all[i], fold, calibration, options));
            result.cases.back().model.weight = rows[i].count;
            for (const auto& [name, baseline] : baselines)
                result.cases.back().baseline_s[name] = baseline->predict(shapes[i]);
        }
    }
    return result;
}

std::vector<Outcome> outcomes(const SplitResult& result, std::span<const ReferenceRow> rows,
                              Group group, const std::string& fold, const std::string& model) {
    std::vector<Outcome> list;
    for (const Case& c : result.cases) {
        if (!in_group(rows[c.row], group) || (!fold.empty() && c.fold != fold)) continue;
        Outcome outcome = c.model;
        if (!model.empty()) {
            outcome.predicted_s =
                model == "machine file" ? c.machine_file_s : c.baseline_s.at(model);
            outcome.low_s = outcome.high_s = outcome.predicted_s;
        }
        list.push_back(outcome);
    }
    return list;
}

std::vector<StepError> step_errors(const SplitResult& result, std::span<const ReferenceRow> rows,
                                   const std::string& model) {
    std::map<std::tuple<std::string, std::string, std::int64_t, int, CacheState>, StepError> steps;
    for (const Case& c : result.cases) {
        const ReferenceRow& row = rows[c.row];
        StepError& step = steps[{c.fold, row.network, row.batch, row.threads, row.state}];
        step.fold = c.fold;
        step.network = row.network;
        step.batch = row.batch;
        step.threads = row.threads;
        step.state = row.state;
        const double predicted = model.empty() ? c.model.predicted_s : c.baseline_s.at(model);
        step.predicted_s += row.count * predicted;
        step.measured_s += row.count * row.time_s;
    }
    std::vector<StepError> list;
    for (auto& [key, step] : steps) list.push_back(std::move(step));
    return list;
}

std::vector<double> noise_floor(std::span<const ReferenceRow> rows, Group group, int threads,
                                CacheState state) {
    std::vector<double> floor;
    for (const ReferenceRow& row : rows)
        if (row.spread >= 0 && !row.upper_bound && row.threads == threads && row.state == state &&
            in_group(row, group))
            floor.push_back(row.spread / 2);
    return floor;
}

}  // namespace ridge::validate
