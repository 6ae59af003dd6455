#include "model/predict/cpu/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "ridge/error.hpp"
#include "ridge/statistics.hpp"

namespace ridge::cpu {
namespace {

using Rows = std::vector<const FitRow*>;

// Errors beyond this count linearly: a disturbed row must not bend the constants.
constexpr double robust_from = 0.05;
// A constant that is off the prior by a factor e costs as much as this many rows with an error of
// robust_from: thin data leaves it where physics put it.
constexpr double prior_rows = 1.5;
constexpr int residual_rows = 12;  ///< a class with fewer takes the family's residuals
constexpr std::size_t capacity_index = resources;
constexpr std::size_t fitted = resources + 2;

double loss(double error) {
    const double size = std::abs(error);
    return size < robust_from ? size * size / (2 * robust_from) : size - robust_from / 2;
}

double& parameter(Constants& c, std::size_t i) {
    if (i == capacity_index) return c.capacity;
    return i > capacity_index ? c.steepness : c.factor[i];
}
double parameter(const Constants& c, std::size_t i) {
    if (i == capacity_index) return c.capacity;
    return i > capacity_index ? c.steepness : c.factor[i];
}

double error_of(const FitRow& row, const Constants& c, const ClassModel& k, Overlap overlap) {
    return std::log(k.efficiency * time_of(row.terms, c, overlap, k.memory) / row.time_s);
}

class FamilyFit {
public:
    FamilyFit(const Rows& rows, const Constants& prior, Overlap overlap)
        : rows_(rows), prior_(prior), overlap_(overlap), classes_(rows.size()) {}

    void set_classes(const std::map<std::string, ClassModel>& classes) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            classes_[i] = classes.at(rows_[i]->class_name);
    }

    /// Pattern search: each constant in turn up or down by a factor that shrinks.
    Constants run(Constants start) {
        double best = objective(start);
        for (double step = 0.4; step > 0.004; step *= 0.6) {
            bool moved = true;
            for (int round = 0; moved && round < 12; ++round) {
                moved = false;
                for (std::size_t i = 0; i < fitted; ++i) moved |= improve(start, i, step, best);
            }
        }
        return start;
    }

private:
    bool improve(Constants& c, std::size_t i, double step, double& best) {
        const double before = parameter(c, i);
        if (before <= 0) return false;
        for (const double factor : {std::exp(step), std::exp(-step)}) {
            const double tried = before * factor;
            const double span = std::abs(std::log(tried / parameter(prior_, i)));
            if (span > 4) continue;
            parameter(c, i) = tried;
            const double value = objective(c);
            if (value < best) {
                best = value;
                return true;
            }
        }
        parameter(c, i) = before;
        return false;
    }

    [[nodiscard]] double objective(const Constants& c) const {
        double sum = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            sum += loss(error_of(*rows_[i], c, classes_[i], overlap_));
        for (std::size_t i = 0; i < fitted; ++i) {
            if (parameter(prior_, i) <= 0) continue;
            const double off = std::log(parameter(c, i) / parameter(prior_, i));
            sum += prior_rows * robust_from * off * off;
        }
        return sum;
    }

    const Rows& rows_;
    Constants prior_;
    Overlap overlap_;
    std::vector<ClassModel> classes_;
};

/// Efficiency and memory factor of one class, both drawn to 1.
ClassModel fit_class(const Rows& rows, const Constants& constants, Overlap overlap,
                     double class_prior, ClassModel model) {
    const auto objective = [&](const ClassModel& k) {
        double sum =
            class_prior * (std::pow(std::log(k.efficiency), 2) + std::pow(std::log(k.memory), 2));
        for (const FitRow* row : rows) sum += loss(error_of(*row, constants, k, overlap));
        return sum;
    };
    double best = objective(model);
    for (double step = 0.4; step > 0.002; step *= 0.6)
        for (int round = 0; round < 6; ++round)
            for (double ClassModel::*factor : {&ClassModel::efficiency, &ClassModel::memory})
                for (const double change : {std::exp(step), std::exp(-step)}) {
                    ClassModel tried = model;
                    tried.*factor *= change;
                    const double value = objective(tried);
                    if (value < best) {
                        best = value;
                        model = tried;
                        break;
                    }
                }
    return model;
}

void fit_classes(std::map<std::string, ClassModel>& classes, const Rows& rows,
                 const Constants& constants, Overlap overlap, double class_prior) {
    std::map<std::string, Rows> by_class;
    for (const FitRow* row : rows) by_class[row->class_name].push_back(row);
    for (const auto& [name, of_class] : by_class)
        classes[name] = fit_class(of_class, constants, overlap, class_prior, classes[name]);
}

void fit_family(Calibration& calibration, Family family, const Rows& rows,
                const FitOptions& options) {
    FamilyModel& model = calibration.of(family);
    FamilyFit search(rows, model.constants, options.overlap);
    Constants constants = search.run(model.constants);
    if (options.class_efficiency) {
        // In turns, so that no class bends the constants and no constant a class.
        const double class_prior = family == Family::convolution ? options.convolution_class_prior
                                                                 : options.other_class_prior;
        std::map<std::string, ClassModel> classes;
        for (int pass = 0; pass < 3; ++pass) {
            fit_classes(classes, rows, constants, options.overlap, class_prior);
            search.set_classes(classes);
            constants = search.run(constants);
        }
        fit_classes(classes, rows, constants, options.overlap, class_prior);
        for (const auto& [name, model_of_class] : classes)
            calibration.classes[name] = model_of_class;
    }
    model.constants = constants;
    model.flops = {rows.front()->flops, rows.front()->flops};
    model.footprint_bytes = {rows.front()->footprint_bytes, rows.front()->footprint_bytes};
    for (const FitRow* row : rows) {
        model.flops.lowest = std::min(model.flops.lowest, row->flops);
        model.flops.highest = std::max(model.flops.highest, row->flops);
        model.footprint_bytes.lowest = std::min(model.footprint_bytes.lowest, row->footprint_bytes);
        model.footprint_bytes.highest =
            std::max(model.footprint_bytes.highest, row->footprint_bytes);
    }
}

Calibration fit_constants(std::span<const FitRow> rows, const FitOptions& options) {
    Calibration calibration = prior_calibration();
    for (int f = 0; f < families; ++f) {
        Rows of_family;
        for (const FitRow& row : rows)
            if (row.family == static_cast<Family>(f)) of_family.push_back(&row);
        if (!of_family.empty()) fit_family(calibration, static_cast<Family>(f), of_family, options);
    }
    calibration.batch = {static_cast<double>(rows.front().batch),
                         static_cast<double>(rows.front().batch)};
    calibration.threads = {static_cast<double>(rows.front().threads),
                           static_cast<double>(rows.front().threads)};
    for (const FitRow& row : rows) {
        const auto batch = static_cast<double>(row.batch),
                   threads = static_cast<double>(row.threads);
        calibration.batch = {std::min(calibration.batch.lowest, batch),
                             std::max(calibration.batch.highest, batch)};
        calibration.threads = {std::min(calibration.threads.lowest, threads),
                               std::max(calibration.threads.highest, threads)};
    }
    return calibration;
}

Residuals quantiles(const std::vector<double>& errors) {
    return {quantile(errors, 0.1), quantile(errors, 0.9), static_cast<int>(errors.size())};
}

/// Errors of rows whose group was left out; one group alone is split in five by its shapes.
void set_residuals(Calibration& calibration, std::span<const FitRow> rows,
                   const FitOptions& options) {
    std::set<std::string> groups;
    for (const FitRow& row : rows) groups.insert(row.group);
    const bool by_group = groups.size() > 1;
    const std::size_t folds = by_group ? groups.size() : 5;
    const auto fold_of = [&](std::size_t i) {
        if (!by_group) return i % folds;
        return static_cast<std::size_t>(std::distance(groups.begin(), groups.find(rows[i].group)));
    };
    std::map<std::string, std::vector<double>> by_class;
    std::array<std::vector<double>, families> by_family;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<FitRow> seen;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (fold_of(i) != fold) seen.push_back(rows[i]);
        if (seen.empty()) continue;
        const Calibration without = fit_constants(seen, options);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (fold_of(i) != fold) continue;
            const double error =
                std::log(rows[i].time_s / predict_time(rows[i], without, options.overlap));
            by_class[rows[i].class_name].push_back(error);
            by_family[static_cast<std::size_t>(rows[i].family)].push_back(error);
        }
    }
    for (std::size_t f = 0; f < by_family.size(); ++f)
        if (by_family[f].size() >= 5) calibration.family[f].residuals = quantiles(by_family[f]);
    for (const auto& [name, errors] : by_class)
        calibration.classes[name].residuals = quantiles(errors);
}

}  // namespace

Calibration fit(std::span<const FitRow> rows, const FitOptions& options) {
    if (rows.empty()) throw bad_input("calibration", "measured rows", "none");
    for (const FitRow& row : rows)
        if (!(row.time_s > 0) || !std::isfinite(row.time_s))
            throw bad_input("calibration", "positive times", row.class_name + " without one");
    Calibration calibration = fit_constants(rows, options);
    if (options.residuals) set_residuals(calibration, rows, options);
    return calibration;
}

double predict_time(const FitRow& row, const Calibration& calibration, Overlap overlap) {
    const auto found = calibration.classes.find(row.class_name);
    const ClassModel k = found == calibration.classes.end() ? ClassModel{} : found->second;
    return k.efficiency *
           time_of(row.terms, calibration.of(row.family).constants, overlap, k.memory);
}

const Residuals& residuals_of(const Calibration& calibration, Family family,
                              const std::string& class_name) {
    const auto found = calibration.classes.find(class_name);
    if (found != calibration.classes.end() && found->second.residuals.rows >= residual_rows)
        return found->second.residuals;
    return calibration.of(family).residuals;
}

}  // namespace ridge::cpu
