#include "validate/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/predict/cpu/kernel_class.hpp"
#include "ridge/statistics.hpp"
#include "validate/boosted_trees.hpp"

namespace ridge::validate {
namespace {

class Roofline : public FittedBaseline {
public:
    double predict(const BaselineRow& r) const override {
        return std::max({r.compute_s, r.memory_s, 1e-9});
    }
};

class OnePercentage : public FittedBaseline {
public:
    explicit OnePercentage(std::span<const BaselineRow> train) {
        std::vector<double> ratios;
        for (const auto& r : train) ratios.push_back(r.time_s / plain(r));
        factor_ = ratios.empty() ? 1 : median(ratios);
    }
    double predict(const BaselineRow& r) const override { return factor_ * plain(r); }

private:
    static double plain(const BaselineRow& r) { return std::max(r.compute_s + r.memory_s, 1e-9); }
    double factor_ = 1;
};

/// Least mean |log error| by pattern search.
class ThreeConstants : public FittedBaseline {
public:
    explicit ThreeConstants(std::span<const BaselineRow> train) {
        double best = error(train);
        for (double step = 0.5; step > 0.005; step *= 0.6)
            for (int round = 0; round < 8; ++round)
                for (double& constant : constants_)
                    for (const double factor : {std::exp(step), std::exp(-step)}) {
                        const double before = constant;
                        constant *= factor;
                        const double now = error(train);
                        if (now < best) {
                            best = now;
                            break;
                        }
                        constant = before;
                    }
    }
    double predict(const BaselineRow& r) const override {
        return std::max(constants_[0] * r.compute_s, constants_[1] * r.memory_s) + constants_[2];
    }

private:
    [[nodiscard]] double error(std::span<const BaselineRow> train) const {
        double sum = 0;
        for (const auto& r : train) sum += std::abs(std::log(predict(r) / r.time_s));
        return sum;
    }
    std::array<double, 3> constants_{1.1, 1.2, 1e-6};
};

/// Solves the normal equations of least relative squares for (a, b, c); constants that come out
/// negative are dropped, the last one standing is a median ratio.
class ClassLinear : public FittedBaseline {
public:
    explicit ClassLinear(std::span<const BaselineRow> train) : fallback_(train) {
        std::map<std::string, std::vector<const BaselineRow*>> by_class;
        for (const auto& r : train) by_class[r.class_name].push_back(&r);
        for (const auto& [name, rows] : by_class)
            if (rows.size() >= 4) classes_[name] = solve(rows);
    }
    double predict(const BaselineRow& r) const override {
        const auto found = classes_.find(r.class_name);
        if (found == classes_.end()) return fallback_.predict(r);
        const auto& [a, b, c] = found->second;
        return std::max(a * r.compute_s + b * r.memory_s + c, 1e-9);
    }

private:
    using Three = std::array<double, 3>;

    static Three solve(const std::vector<const BaselineRow*>& rows) {
        std::array<bool, 3> used{true, true, true};
        for (int attempt = 0; attempt < 3; ++attempt) {
            const Three x = least_squares(rows, used);
            bool negative = false;
            for (std::size_t i = 0; i < 3; ++i)
                if (x[i] < 0) used[i] = false, negative = true;
            if (!negative) return x;
        }
        return {1, 1, 0};
    }

    static Three least_squares(const std::vector<const BaselineRow*>& rows,
                               const std::array<bool, 3>& used) {
        std::array<std::array<double, 4>, 3> m{};
        for (const BaselineRow* r : rows) {
            const Three x{r->compute_s / r->time_s, r->memory_s / r->time_s, 1e-6 / r->time_s};
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = 0; j < 3; ++j) m[i][j] += used[i] && used[j] ? x[i] * x[j] : 0;
                m[i][3] += used[i] ? x[i] : 0;
            }
        }
        // Unused columns give 0; collinear ones stay solvable.
        for (std::size_t i = 0; i < 3; ++i)
            m[i][i] = used[i] && m[i][i] > 0 ? m[i][i] * (1 + 1e-9) : 1;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t k = i + 1; k < 3; ++k) {
                const double factor = m[k][i] / m[i][i];
                for (std::size_t j = i; j < 4; ++j) m[k][j] -= factor * m[i][j];
            }
        }
        Three x{};
        for (std::size_t i = 3; i-- > 0;) {
            x[i] = m[i][3];
            for (std::size_t j = i + 1; j < 3; ++j) x[i] -= m[i][j] * x[j];
            x[i] /= m[i][i];
        }
        return {x[0], x[1], x[2] * 1e-6};
    }

    std::map<std::string, Three> classes_;
    OnePercentage fallback_;
};

/// Target: log(time / (compute + memory)), so that the trees start from physics; without it they
/// would first have to learn what multiplication is.
class Trees : public FittedBaseline {
public:
    explicit Trees(std::span<const BaselineRow> train) : trees_(features(train), targets(train)) {}
    double predict(const BaselineRow& r) const override {
        return start(r) * std::exp(trees_.predict(r.shape));
    }

private:
    static double start(const BaselineRow& r) { return r.compute_s + r.memory_s + 1e-6; }
    static std::vector<std::vector<double>> features(std::span<const BaselineRow> rows) {
        std::vector<std::vector<double>> x;
        for (const auto& r : rows) x.push_back(r.shape);
        return x;
    }
    static std::vector<double> targets(std::span<const BaselineRow> rows) {
        std::vector<double> y;
        for (const auto& r : rows) y.push_back(std::log(r.time_s / start(r)));
        return y;
    }
    BoostedTrees trees_;
};

}  // namespace

std::string_view to_string(Baseline baseline) {
    constexpr std::array<std::string_view, 5> names{"plain roofline", "one percentage",
                                                    "three-constant roofline",
                                                    "regression per class", "boosted trees"};
    return names[static_cast<std::size_t>(baseline)];
}

BaselineRow baseline_row(const ReferenceRow& row, const cpu::Capability& capability) {
    BaselineRow r;
    const double threads = row.threads;
    r.flops = useful_flops(row.layer, row.work()).value();
    r.bytes = minimum_bytes(row.layer, row.work()).value();
    r.compute_s = r.flops / (32 * capability.fma_per_s.back() * threads);
    r.memory_s = r.bytes / (capability.levels.back().read_bytes_per_s * threads);
    r.time_s = row.time_s;
    r.class_name = cpu::class_of(row.layer, row.work());
    r.convolution = cpu::family_of(row.layer.kind, row.work()) == cpu::Family::convolution;
    const Dims& d = row.layer.dims;
    for (const std::int64_t n : {d.mb, d.g, d.ic, d.oc, d.ih, d.iw, d.oh, d.ow, d.kh, d.kw, d.sh})
        r.shape.push_back(std::log2(static_cast<double>(n)));
    r.shape.push_back(static_cast<double>(row.layer.kind));
    r.shape.push_back(static_cast<double>(row.pass));
    r.shape.push_back(static_cast<double>(row.layer.algorithm));
    r.shape.push_back(std::log2(r.flops + 1));
    r.shape.push_back(std::log2(r.bytes + 1));
    r.shape.push_back(threads);
    r.shape.push_back(static_cast<double>(row.state));
    return r;
}

std::unique_ptr<FittedBaseline> fit_baseline(Baseline baseline,
                                             std::span<const BaselineRow> train) {
    switch (baseline) {
        case Baseline::one_percentage:
            return std::make_unique<OnePercentage>(train);
        case Baseline::three_constants:
            return std::make_unique<ThreeConstants>(train);
        case Baseline::class_linear:
            return std::make_unique<ClassLinear>(train);
        case Baseline::boosted_trees:
            return std::make_unique<Trees>(train);
        case Baseline::roofline:
            break;
    }
    return std::make_unique<Roofline>();
}

}  // namespace ridge::validate
