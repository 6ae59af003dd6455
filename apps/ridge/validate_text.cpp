#include "apps/ridge/validate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/predict/cpu/kernel_class.hpp"
#include "report/palette.hpp"
#include "ridge/statistics.hpp"
#include "validate/baselines.hpp"

namespace ridge::app {
namespace {

using validate::Case;
using validate::Group;
using validate::Metrics;
using validate::ReferenceRow;
using validate::SplitResult;

constexpr const char* begin_marker = "<!-- ridge validate: begin -->";
constexpr const char* end_marker = "<!-- ridge validate: end -->";

std::string percent(double share, int digits = 1) {
    return fmt::format("{:.{}f}", 100 * share, digits);
}

std::string metrics_cells(const Metrics& m, bool interval) {
    if (m.n == 0) return "0 | – | – | – | – | – | –";
    return fmt::format("{} | {} | {} | {} | {} | {:.3f} | {}", m.n, percent(m.mape),
                       percent(m.median), percent(m.p90), percent(m.bias), m.spearman,
                       interval ? percent(m.coverage, 0) : "–");
}

struct StepSummary {
    std::size_t n = 0;
    double mean = 0, worst = 0;
};

StepSummary step_summary(const SplitResult& split, const std::vector<ReferenceRow>& rows,
                         const std::string& model) {
    StepSummary summary;
    for (const auto& step : validate::step_errors(split, rows, model)) {
        ++summary.n;
        summary.mean += std::abs(step.error());
        summary.worst = std::max(summary.worst, std::abs(step.error()));
    }
    if (summary.n > 0) summary.mean /= static_cast<double>(summary.n);
    return summary;
}

void add_fold_rows(std::string& out, const SplitResult& split,
                   const std::vector<ReferenceRow>& rows) {
    std::vector<std::string> folds = split.folds;
    if (folds.size() > 8) folds.clear();  // one per kernel class: the pooled rows tell it
    if (folds.size() > 1) folds.emplace_back();
    if (folds.empty()) folds.emplace_back();
    for (const std::string& fold : folds)
        for (const Group group : {Group::convolution, Group::other}) {
            const auto list = validate::outcomes(split, rows, group, fold, "");
            out += fmt::format("| {} | {} | {} |\n", fold.empty() ? "all folds" : fold,
                               to_string(group), metrics_cells(validate::metrics_of(list), true));
        }
}

void add_baselines(std::string& out, const SplitResult& split,
                   const std::vector<ReferenceRow>& rows) {
    if (split.cases.empty() || split.cases.front().baseline_s.empty()) return;
    for (const validate::Baseline baseline : validate::all_baselines)
        for (const Group group : {Group::convolution, Group::other}) {
            const std::string name(to_string(baseline));
            const auto list = validate::outcomes(split, rows, group, "", name);
            out += fmt::format("| {} | {} | {} |\n", name, to_string(group),
                               metrics_cells(validate::metrics_of(list), false));
        }
}

void add_noise(std::string& out, const SplitResult& split, const std::vector<ReferenceRow>& rows) {
    std::set<std::pair<int, CacheState>> kinds;
    for (const Case& c : split.cases) kinds.insert({rows[c.row].threads, rows[c.row].state});
    for (const Group group : {Group::convolution, Group::other}) {
        std::vector<double> floor;
        for (const auto& [threads, state] : kinds)
            for (const double f : validate::noise_floor(rows, group, threads, state))
                floor.push_back(f);
        if (floor.empty()) continue;
        out += fmt::format("| noise: equal rows of a step | {} | {} | {} | {} | {} | – | – | – |\n",
                           to_string(group), floor.size(), percent(mean(floor)),
                           percent(median(floor)), percent(quantile(floor, 0.9)));
    }
}

void add_steps(std::string& out, const SplitResult& split, const std::vector<ReferenceRow>& rows) {
    const StepSummary model = step_summary(split, rows, "");
    out += fmt::format("\nWhole step (summed layers), {} steps: mean |error| {} %, worst {} %.",
                       model.n, percent(model.mean), percent(model.worst));
    if (!split.cases.empty() && !split.cases.front().baseline_s.empty())
        for (const auto baseline :
             {validate::Baseline::roofline, validate::Baseline::boosted_trees}) {
            const std::string name(to_string(baseline));
            const StepSummary s = step_summary(split, rows, name);
            out += fmt::format(" {}: {} %, {} %.", name, percent(s.mean), percent(s.worst));
        }
    std::map<std::string, std::string> by_fold;
    for (const auto& step : validate::step_errors(split, rows, ""))
        by_fold[step.fold] +=
            fmt::format(" {}{:+.1f}", by_fold[step.fold].empty() ? "" : "", 100 * step.error());
    out += "\n";
    if (by_fold.size() <= 8)
        for (const auto& [fold, errors] : by_fold)
            out += fmt::format("Steps of {}, by network and batch, in %:{}\n", fold, errors);
}

void add_worst(std::string& out, const SplitResult& split, const std::vector<ReferenceRow>& rows,
               std::size_t worst) {
    std::vector<const Case*> cases;
    for (const Case& c : split.cases) cases.push_back(&c);
    const auto error = [](const Case* c) {
        return std::abs(std::log(c->model.predicted_s / c->model.measured_s));
    };
    std::sort(cases.begin(), cases.end(),
              [&](const Case* a, const Case* b) { return error(a) > error(b); });
    cases.resize(std::min(cases.size(), worst));
    if (cases.empty()) return;
    out += "\nWorst cases, with the line that repeats the measurement:\n\n```\n";
    for (const Case* c : cases) {
        const ReferenceRow& row = rows[c->row];
        out += fmt::format(
            "{:+7.1f} %  {:9.3f} ms  {} {} {}  ridge collect '{}' --threads {} "
            "--state {}\n",
            100 * (c->model.predicted_s / c->model.measured_s - 1), c->model.measured_s * 1e3,
            row.network, to_string(row.pass), row.part, to_line(row.layer), row.threads,
            to_string(row.state));
    }
    out += "```\n";
}

std::string title_of(validate::SplitKind kind) {
    switch (kind) {
        case validate::SplitKind::network:
            return "Network never measured";
        case validate::SplitKind::closed:
            return "Networks kept closed";
        case validate::SplitKind::batch:
            return "Batch never measured";
        case validate::SplitKind::threads:
            return "More threads, from constants of one";
        case validate::SplitKind::state:
            return "Cold and in_step, from warm constants";
        case validate::SplitKind::kernel:
            return "Kernel class never measured";
    }
    return "";
}

double machine_file_r2(const SplitResult& split, const std::vector<ReferenceRow>& rows) {
    std::vector<double> flops;
    for (const Case& c : split.cases)
        if (cpu::family_of(rows[c.row].layer.kind, rows[c.row].work()) == cpu::Family::convolution)
            flops.push_back(useful_flops(rows[c.row].layer, rows[c.row].work()).value());
    return validate::rate_r2(
        validate::outcomes(split, rows, Group::convolution, "", "machine file"), flops);
}

std::size_t dropped(const std::vector<ReferenceRow>& rows) {
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const ReferenceRow& r) { return r.upper_bound; }));
}

}  // namespace

std::string validation_text(const Validation& v, std::size_t worst) {
    std::string out = fmt::format(
        "{} rows of {} on {}; demand {}. Errors are |predicted / measured - 1| in %; coverage is "
        "that of the 80 % interval. Left out everywhere: {} rows that were never undisturbed "
        "(fewer "
        "than 4 quiet samples), whose times are upper bounds.\n",
        v.rows.size(), v.reference, v.machine, v.demand, dropped(v.rows));
    for (const SplitResult& split : v.splits) {
        out += fmt::format("\n### {} ({} demand)\n\n", title_of(split.split), v.demand);
        if (split.cases.empty()) {
            out += "No rows: the reference set has none for this split.\n";
            continue;
        }
        out +=
            "| | rows of | n | MAPE | median | p90 | bias | rank correlation | coverage |\n"
            "|---|---|---|---|---|---|---|---|---|\n";
        add_fold_rows(out, split, v.rows);
        add_baselines(out, split, v.rows);
        add_noise(out, split, v.rows);
        add_steps(out, split, v.rows);
        out += fmt::format(
            "Without any fitted constant, R² of log(time) - log(FLOPs) over the "
            "convolution rows: {:.3f}.\n",
            machine_file_r2(split, v.rows));
        add_worst(out, split, v.rows, worst);
    }
    return out;
}

Json validation_json(const Validation& v) {
    Json splits = Json::array();
    for (const SplitResult& split : v.splits) {
        Json cases = Json::array();
        for (const Case& c : split.cases) {
            const ReferenceRow& row = v.rows[c.row];
            Json baselines = Json::object();
            for (const auto& [name, time] : c.baseline_s) baselines[name] = time;
            cases.push_back({{"fold", c.fold},
                             {"network", row.network},
                             {"batch", row.batch},
                             {"threads", row.threads},
                             {"state", to_string(row.state)},
                             {"problem", to_line(row.layer)},
                             {"pass", to_string(row.pass)},
                             {"part", row.part},
                             {"kernel_class", cpu::class_of(row.layer, row.work())},
                             {"predicted_s", c.model.predicted_s},
                             {"low_s", c.model.low_s},
                             {"high_s", c.model.high_s},
                             {"measured_s", c.model.measured_s},
                             {"machine_file_s", c.machine_file_s},
                             {"baselines_s", baselines}});
        }
        splits.push_back({{"split", to_string(split.split)}, {"cases", cases}});
    }
    return {{"reference", v.reference},
            {"machine", v.machine},
            {"demand", v.demand},
            {"rows", v.rows.size()},
            {"left_out_upper_bounds", dropped(v.rows)},
            {"splits", splits}};
}

report::Plot scatter_plot(const Validation& v) {
    report::Plot plot;
    plot.name = "scatter";
    plot.title = "Predicted and measured time of held-out rows";
    plot.width = 760;
    plot.height = 720;
    if (v.splits.empty()) return plot;
    const SplitResult& split = v.splits.front();
    plot.subtitle = title_of(split.split) + ", " + v.demand + " demand";
    report::Panel panel;
    double low = 1e30, high = 0;
    for (const Case& c : split.cases) {
        low = std::min({low, c.model.measured_s, c.model.predicted_s});
        high = std::max({high, c.model.measured_s, c.model.predicted_s});
    }
    const double least = std::floor(std::log10(low * 1e3)),
                 most = std::ceil(std::log10(high * 1e3));
    for (report::Axis* axis : {&panel.x, &panel.y}) {
        axis->scale = report::Scale::logarithmic;
        axis->low = std::pow(10, least);
        axis->high = std::pow(10, most);
        for (double decade = least; decade <= most; ++decade)
            axis->ticks.push_back(
                {std::pow(10, decade), fmt::format("{:g}", std::pow(10, decade))});
    }
    panel.x.title = "measured, ms";
    panel.y.title = "predicted, ms";
    panel.lines.push_back({{{panel.x.low, panel.x.low}, {panel.x.high, panel.x.high}},
                           report::Stroke::thin,
                           "",
                           "equal"});
    const std::string colours[] = {"#1f77b4", "#ff7f0e"};
    for (const Group group : {Group::other, Group::convolution}) {
        const bool convolution = group == Group::convolution;
        for (const auto& o : validate::outcomes(split, v.rows, group, "", ""))
            panel.dots.push_back({.at = {o.measured_s * 1e3, o.predicted_s * 1e3},
                                  .area = 12,
                                  .colour = colours[convolution ? 0 : 1]});
        plot.legend.push_back({std::string(to_string(group)), colours[convolution ? 0 : 1],
                               report::Symbol::circle, true});
    }
    plot.panels.push_back(std::move(panel));
    return plot;
}

std::string with_section(const std::string& document, const std::string& section) {
    const std::string block = fmt::format("{}\n{}{}\n", begin_marker, section, end_marker);
    const auto begin = document.find(begin_marker), end = document.find(end_marker);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return document + (document.ends_with('\n') ? "" : "\n") + "\n" + block;
    std::size_t after = end + std::string(end_marker).size();
    if (after < document.size() && document[after] == '\n') ++after;
    return document.substr(0, begin) + block + document.substr(after);
}

}  // namespace ridge::app
