#include "model/predict/cpu/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/predict/cpu/fit.hpp"
#include "ridge/format.hpp"

namespace ridge::cpu {
namespace {

// An interval outside the calibrated range is so much wider, in log time, for each dimension that
// left it, and more the farther: nothing measured says how wrong the model is there.
constexpr double widening = 0.1;
constexpr double widening_per_factor_e = 0.03;
constexpr double other_machine = 0.2;

std::string detail_of(Resource resource, const PassDemand& d) {
    switch (resource) {
        case Resource::fma:
            return format(d.executed) + " executed";
        case Resource::load_store:
            return fmt::format("{:.3g} M loads, {:.3g} M stores",
                               (d.loads.accesses + d.broadcasts) / 1e6, d.stores.accesses / 1e6);
        case Resource::issue:
            return fmt::format("{:.3g} M instructions", d.instructions / 1e6);
        case Resource::calls:
            return fmt::format("{:.0f} calls", d.calls);
        case Resource::transitions:
            return fmt::format("{:.0f} transitions", d.sse_transitions);
        case Resource::l2_read:
            return d.levels.empty() ? "" : format(d.levels[0].read);
        case Resource::l2_write:
            return d.levels.empty() ? "" : format(d.levels[0].written);
        case Resource::l3_read:
            return d.levels.empty() ? "" : format(d.levels.back().read);
        case Resource::l3_write:
            return d.levels.empty() ? "" : format(d.levels.back().written);
        case Resource::memory_read:
        case Resource::memory_write:
            return "footprint " + format(d.footprint);
        default:
            return "";
    }
}

FitRow row_of(const Layer& layer, Pass pass, const PassDemand& demand, const Capability& capability,
              CacheState state) {
    FitRow row;
    row.terms = terms_of(demand, capability, state);
    row.family = family_of(layer.kind, pass);
    row.class_name = class_of(layer, pass);
    return row;
}

}  // namespace

Predictor::Predictor(const Machine& machine, Calibration calibration, int threads, CacheState state)
    : capability_(capability_of(machine, threads)),
      calibration_(std::move(calibration)),
      machine_(machine.name),
      state_(state) {}

double Predictor::seconds(const Layer& layer, Pass pass, const PassDemand& demand) const {
    return predict_time(row_of(layer, pass, demand, capability_, state_), calibration_);
}

void Predictor::check_range(Prediction& p, const Layer& layer, Family family,
                            const std::string& class_name, const PassDemand& demand) const {
    double wider = 0;
    const auto check = [&](const char* dimension, double value, const Range& range) {
        if (range.holds(value)) return;
        const double off = value < range.lowest ? std::log(range.lowest / std::max(value, 1e-12))
                                                : std::log(value / std::max(range.highest, 1e-12));
        wider += widening + widening_per_factor_e * std::min(off, 10.0);
        p.out_of_range.push_back(
            {dimension, value, range.lowest, range.highest,
             fmt::format("{} {:.4g} is outside the calibrated {:.4g} to {:.4g}", dimension, value,
                         range.lowest, range.highest)});
    };
    const FamilyModel& model = calibration_.of(family);
    check("batch", static_cast<double>(layer.dims.mb), calibration_.batch);
    check("threads", capability_.threads, calibration_.threads);
    if (family != Family::other) check("FLOPs", demand.useful.value(), model.flops);
    check("footprint", demand.footprint.value(), model.footprint_bytes);
    if (calibration_.classes.find(class_name) == calibration_.classes.end()) {
        wider += widening;
        p.out_of_range.push_back(
            {"kernel class", 0, 0, 0, "kernel class '" + class_name + "' was never measured"});
    }
    if (calibration_.machine != machine_) {
        wider += other_machine;
        p.out_of_range.push_back(
            {"machine", 0, 0, 0,
             fmt::format("constants of {} on {}", calibration_.machine, machine_)});
    }
    p.low = p.low * std::exp(-wider);
    p.high = p.high * std::exp(wider);
}

Prediction Predictor::predict(const Layer& layer, Pass pass, const PassDemand& demand) const {
    const FitRow row = row_of(layer, pass, demand, capability_, state_);
    const double time = predict_time(row, calibration_);
    Prediction p;
    p.time = Seconds(time);
    const Residuals& residuals = residuals_of(calibration_, row.family, row.class_name);
    p.low = Seconds(time * std::exp(residuals.low));
    p.high = Seconds(time * std::exp(residuals.high));
    p.model = fmt::format("cpu, {} demand", to_string(demand.source));
    p.kernel = row.class_name;

    const Constants& constants = calibration_.of(row.family).constants;
    const auto found = calibration_.classes.find(row.class_name);
    const double memory = found == calibration_.classes.end() ? 1 : found->second.memory;
    const TermTimes parts = contributions(row.terms, constants, Overlap::hard_core, memory);
    const TermTimes alone = contributions(row.terms, constants, Overlap::all_sum, memory);
    double sum = 0;
    for (const double part : parts) sum += part;
    const double efficiency = sum > 0 ? time / sum : 1;
    for (std::size_t i = 0; i < resources; ++i) {
        if (alone[i] <= 0) continue;
        const auto resource = static_cast<Resource>(i);
        p.terms.push_back({std::string(to_string(resource)), Seconds(efficiency * alone[i]),
                           Seconds(efficiency * parts[i]), detail_of(resource, demand)});
    }
    std::stable_sort(p.terms.begin(), p.terms.end(),
                     [](const auto& a, const auto& b) { return a.contribution > b.contribution; });
    if (!p.terms.empty()) p.binding = p.terms.front().resource;
    check_range(p, layer, row.family, row.class_name, demand);
    return p;
}

}  // namespace ridge::cpu
