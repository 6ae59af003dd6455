#include "model/predict/gpu/log_fit.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::gpu {
namespace {

using Vector = std::vector<double>;

/// Parameters move on the whole line: z = logit of the place between the logarithms of the bounds.
double to_line(const FitParameter& p, double value) {
    const double place = std::log(value / p.low) / std::log(p.high / p.low);
    const double inside = std::clamp(place, 1e-4, 1 - 1e-4);
    return std::log(inside / (1 - inside));
}
double from_line(const FitParameter& p, double z) {
    return p.low * std::exp(std::log(p.high / p.low) / (1 + std::exp(-z)));
}

/// Solves A x = b for a symmetric positive definite A (row-major), in place. False when it is not.
bool solve(Vector& a, Vector& b) {
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; ++j) {
        double diagonal = a[j * n + j];
        for (std::size_t k = 0; k < j; ++k) diagonal -= a[j * n + k] * a[j * n + k];
        if (!(diagonal > 1e-12)) return false;
        const double root = a[j * n + j] = std::sqrt(diagonal);
        for (std::size_t i = j + 1; i < n; ++i) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum / root;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

class Fit {
public:
    explicit Fit(const FitTask& task) : task_(task), n_(task.parameters.size()) {
        for (const auto& p : task.parameters) start_.push_back(to_line(p, p.start));
    }

    Vector run() {
        Vector z = start_;
        Vector residual = residuals(z);
        double cost = cost_of(z, residual), damping = 1e-2;
        for (int i = 0; i < task_.iterations; ++i) {
            normal_equations(z, residual);
            bool better = false;
            for (int attempt = 0; attempt < 5 && !better; ++attempt) {
                Vector a = a_, step = b_;
                for (std::size_t j = 0; j < n_; ++j) a[j * n_ + j] *= 1 + damping;
                if (!solve(a, step)) {
                    damping *= 10;
                    continue;
                }
                Vector next = z;
                for (std::size_t j = 0; j < n_; ++j)
                    next[j] = std::clamp(z[j] - std::clamp(step[j], -2.0, 2.0), -8.0, 8.0);
                Vector tried = residuals(next);
                const double tried_cost = cost_of(next, tried);
                better = tried_cost < cost;
                damping = better ? std::max(1e-4, damping / 5) : damping * 6;
                if (!better) continue;
                const bool done = cost - tried_cost < 2e-4 * cost;
                z = std::move(next);
                residual = std::move(tried);
                cost = tried_cost;
                if (done) return values(z);
            }
            if (!better) break;
        }
        return values(z);
    }

private:
    static constexpr double quadratic = 0.03;  // |log ratio| below which the loss is a square

    Vector values(const Vector& z) const {
        Vector v(n_);
        for (std::size_t j = 0; j < n_; ++j) v[j] = from_line(task_.parameters[j], z[j]);
        return v;
    }
    double residual_of(std::size_t row, const Vector& v) const {
        return std::log(task_.predict(row, v) / task_.measured_s[row]);
    }
    Vector residuals(const Vector& z) const {
        const Vector v = values(z);
        Vector r(task_.measured_s.size());
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = residual_of(i, v);
        return r;
    }
    double cost_of(const Vector& z, const Vector& residual) const {
        double cost = 0;
        for (const double r : residual) {
            const double a = std::abs(r);
            cost += a < quadratic ? r * r / (2 * quadratic) : a - quadratic / 2;
        }
        for (std::size_t j = 0; j < n_; ++j)
            cost += task_.prior * 0.5 * (z[j] - start_[j]) * (z[j] - start_[j]);
        return cost;
    }

    /// a_ = J^T W J + prior, b_ = J^T W r + prior (z - start), derivatives by differences.
    void normal_equations(const Vector& z, const Vector& residual) {
        constexpr double step = 0.04;
        const std::size_t rows = residual.size();
        std::vector<Vector> jacobian(n_, Vector(rows, 0.0));
        const Vector here = values(z);
        for (std::size_t j = 0; j < n_; ++j) {
            Vector v = here;
            v[j] = from_line(task_.parameters[j], z[j] + step);
            const int group = task_.parameters[j].group;
            for (std::size_t i = 0; i < rows; ++i)
                if (group < 0 || group == task_.group[i])
                    jacobian[j][i] = (residual_of(i, v) - residual[i]) / step;
        }
        a_.assign(n_ * n_, 0);
        b_.assign(n_, 0);
        Vector weight(rows);
        for (std::size_t i = 0; i < rows; ++i)
            weight[i] = 1 / std::max(std::abs(residual[i]), quadratic);
        for (std::size_t j = 0; j < n_; ++j) {
            for (std::size_t i = 0; i < rows; ++i)
                b_[j] += jacobian[j][i] * weight[i] * residual[i];
            for (std::size_t k = 0; k <= j; ++k) {
                double sum = 0;
                for (std::size_t i = 0; i < rows; ++i)
                    sum += jacobian[j][i] * weight[i] * jacobian[k][i];
                a_[j * n_ + k] = a_[k * n_ + j] = sum;
            }
            a_[j * n_ + j] += task_.prior + 1e-9;
            b_[j] += task_.prior * (z[j] - start_[j]);
        }
    }

    const FitTask& task_;
    std::size_t n_;
    Vector start_, a_, b_;
};

}  // namespace

std::vector<double> fit_log(const FitTask& task) {
    return Fit(task).run();
}

}  // namespace ridge::gpu
