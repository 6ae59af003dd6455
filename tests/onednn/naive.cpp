#include "tests/onednn/naive.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

#include "tests/onednn/naive_windows.hpp"

namespace ridge::naive {
namespace {

using Vector = std::vector<double>;

std::size_t size(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

Values batch_normalization(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const double epsilon = 1e-5, running_weight = 0.1;
    const std::size_t pixels = size(d.ih * d.iw), channels = size(d.ic);
    const double count = static_cast<double>(size(d.mb) * pixels);
    const Vector& src = in.at("src");
    const auto channel = [&](std::size_t i) { return i / pixels % channels; };
    Vector mean(channels, 0), variance(channels, 0);
    for (std::size_t i = 0; i < src.size(); ++i) mean[channel(i)] += src[i] / count;
    for (std::size_t i = 0; i < src.size(); ++i)
        variance[channel(i)] += std::pow(src[i] - mean[channel(i)], 2) / count;
    const auto normal = [&](std::size_t i) {
        return (src[i] - mean[channel(i)]) / std::sqrt(variance[channel(i)] + epsilon);
    };
    Vector result(src.size());
    if (pass == Pass::forward) {
        for (std::size_t i = 0; i < src.size(); ++i)
            result[i] = in.at("scale")[channel(i)] * normal(i) + in.at("shift")[channel(i)];
        Vector running_mean = in.at("running_mean"), running_variance = in.at("running_variance");
        for (std::size_t c = 0; c < channels; ++c) {
            running_mean[c] += running_weight * (mean[c] - running_mean[c]);
            running_variance[c] += running_weight * (variance[c] - running_variance[c]);
        }
        return {{"dst", result},
                {"mean", mean},
                {"variance", variance},
                {"running_mean", running_mean},
                {"running_variance", running_variance}};
    }
    const Vector& diff_dst = in.at("diff_dst");
    Vector diff_scale(channels, 0), diff_shift(channels, 0);
    for (std::size_t i = 0; i < src.size(); ++i) {
        diff_scale[channel(i)] += diff_dst[i] * normal(i);
        diff_shift[channel(i)] += diff_dst[i];
    }
    for (std::size_t i = 0; i < src.size(); ++i) {
        const std::size_t c = channel(i);
        result[i] = in.at("scale")[c] / std::sqrt(variance[c] + epsilon) *
                    (diff_dst[i] - diff_shift[c] / count - normal(i) * diff_scale[c] / count);
    }
    return {{"diff_src", result}, {"diff_scale", diff_scale}, {"diff_shift", diff_shift}};
}

Values lrn(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const double alpha = 1e-4, beta = 0.75;
    const bool across = layer.algorithm == Algorithm::lrn_across_channels;
    const std::int64_t half = (layer.local_size - 1) / 2;
    const double window = std::pow(static_cast<double>(layer.local_size), across ? 1 : 2);
    const Image at{d.ic, d.ih, d.iw};
    const Vector& src = in.at("src");
    /// Sum of f(i) over the window around an element.
    const auto around = [&](std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x,
                            const std::function<double(std::size_t)>& f) {
        double sum = 0;
        for (std::int64_t a = -half; a <= half; ++a)
            for (std::int64_t b = across ? 0 : -half; b <= (across ? 0 : half); ++b) {
                const std::int64_t cc = across ? c + a : c, yy = across ? y : y + a,
                                   xx = across ? x : x + b;
                if (cc >= 0 && cc < d.ic && yy >= 0 && yy < d.ih && xx >= 0 && xx < d.iw)
                    sum += f(at.at(n, cc, yy, xx));
            }
        return sum;
    };
    const auto each = [&](const std::function<void(std::size_t, std::int64_t, std::int64_t,
                                                   std::int64_t, std::int64_t)>& f) {
        for (std::int64_t n = 0; n < d.mb; ++n)
            for (std::int64_t c = 0; c < d.ic; ++c)
                for (std::int64_t y = 0; y < d.ih; ++y)
                    for (std::int64_t x = 0; x < d.iw; ++x) f(at.at(n, c, y, x), n, c, y, x);
    };
    Vector base(src.size()), result(src.size());
    each([&](std::size_t i, auto n, auto c, auto y, auto x) {
        base[i] =
            1 + alpha / window * around(n, c, y, x, [&](std::size_t j) { return src[j] * src[j]; });
    });
    if (pass == Pass::forward) {
        for (std::size_t i = 0; i < src.size(); ++i) result[i] = src[i] * std::pow(base[i], -beta);
        return {{"dst", result}};
    }
    const Vector& diff_dst = in.at("diff_dst");
    each([&](std::size_t i, auto n, auto c, auto y, auto x) {
        const double sum = around(n, c, y, x, [&](std::size_t j) {
            return diff_dst[j] * src[j] * std::pow(base[j], -beta - 1);
        });
        result[i] =
            diff_dst[i] * std::pow(base[i], -beta) - 2 * alpha * beta / window * src[i] * sum;
    });
    return {{"diff_src", result}};
}

double activation(Algorithm algorithm, double x) {
    if (algorithm == Algorithm::relu) return x > 0 ? x : 0;
    return algorithm == Algorithm::tanh ? std::tanh(x) : 1 / (1 + std::exp(-x));
}

/// By the output y, which for ReLU has the sign of the input.
double slope(Algorithm algorithm, double y) {
    if (algorithm == Algorithm::relu) return y > 0 ? 1 : 0;
    return algorithm == Algorithm::tanh ? 1 - y * y : y * (1 - y);
}

Values eltwise(const Layer& layer, Pass pass, const Values& in) {
    const Vector& src = in.at("src");
    Vector result(src.size());
    for (std::size_t i = 0; i < src.size(); ++i) {
        if (pass == Pass::forward) {
            result[i] = activation(layer.algorithm, src[i]);
        } else {
            // In place, what stands under "src" is the output.
            const double y = layer.in_place ? src[i] : activation(layer.algorithm, src[i]);
            result[i] = in.at("diff_dst")[i] * slope(layer.algorithm, y);
        }
    }
    if (pass == Pass::forward) return {{"dst", result}};
    return {{"diff_src", result}};
}

Values softmax(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const std::size_t images = size(d.mb), classes = size(d.ic * d.ih * d.iw);
    const Vector& from = in.at(pass == Pass::forward ? "src" : "dst");
    Vector result(from.size());
    double loss = 0;
    for (std::size_t n = 0; n < images; ++n) {
        const double* x = &from[n * classes];
        double* out = &result[n * classes];
        if (pass == Pass::forward) {
            double total = 0;
            for (std::size_t c = 0; c < classes; ++c) total += std::exp(x[c]);
            for (std::size_t c = 0; c < classes; ++c) out[c] = std::exp(x[c]) / total;
            if (layer.loss)
                loss -= std::log(out[static_cast<std::size_t>(in.at("labels")[n])]) /
                        static_cast<double>(images);
            continue;
        }
        double dot = 0;
        for (std::size_t c = 0; c < classes && !layer.loss; ++c)
            dot += x[c] * in.at("diff_dst")[n * classes + c];
        for (std::size_t c = 0; c < classes; ++c)
            out[c] = layer.loss
                         ? (x[c] - (static_cast<std::size_t>(in.at("labels")[n]) == c ? 1 : 0)) /
                               static_cast<double>(images)
                         : x[c] * (in.at("diff_dst")[n * classes + c] - dot);
    }
    if (pass == Pass::backward) return {{"diff_src", result}};
    if (layer.loss) return {{"dst", result}, {"loss", {loss}}};
    return {{"dst", result}};
}

Values sum(const Values& in, const std::string& from, const std::string& to) {
    Vector total;
    for (const auto& [role, values] : in) {
        if (role.rfind(from, 0) != 0 || role == from) continue;
        total.resize(values.size(), 0);
        for (std::size_t i = 0; i < values.size(); ++i) total[i] += values[i];
    }
    return {{to, total}};
}

Values concat(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const std::size_t pixels = size(d.ih * d.iw), row = size(d.ic) * pixels;
    Values out;
    if (pass == Pass::forward) out["dst"].resize(size(d.mb) * row);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        const std::size_t part = size(layer.inputs[i]) * pixels;
        const std::string number = std::to_string(i);
        for (std::size_t n = 0; n < size(d.mb); ++n)
            for (std::size_t j = 0; j < part; ++j) {
                const std::size_t whole = n * row + begin + j;
                if (pass == Pass::forward)
                    out["dst"][whole] = in.at("src" + number)[n * part + j];
                else
                    out["diff_src" + number].push_back(in.at("diff_dst")[whole]);
            }
        begin += part;
    }
    return out;
}

Values dropout(const Layer& layer, Pass pass, const Values& in) {
    const double scale = 1 / (1 - layer.drop_ratio);
    Vector result = in.at(pass == Pass::forward ? "src" : "diff_dst");
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= in.at("mask")[i] * scale;
    if (pass == Pass::forward) return {{"dst", result}};
    return {{"diff_src", result}};
}

Values update(const Values& in, Sgd sgd) {
    Values out;
    const std::pair<const char*, const char*> parameters[] = {{"wei", "momentum"},
                                                              {"bias", "momentum_bias"},
                                                              {"scale", "momentum_scale"},
                                                              {"shift", "momentum_shift"}};
    for (const auto& [role, momentum_role] : parameters) {
        if (!in.contains(role)) continue;
        Vector value = in.at(role), momentum = in.at(momentum_role);
        const Vector& gradient = in.at(std::string("diff_") + role);
        for (std::size_t i = 0; i < value.size(); ++i) {
            momentum[i] = sgd.momentum * momentum[i] + gradient[i];
            value[i] -= sgd.rate * momentum[i];
        }
        out[role] = value;
        out[momentum_role] = momentum;
    }
    return out;
}

}  // namespace

Values compute(const Layer& layer, Pass pass, const Values& in, Sgd sgd) {
    if (pass == Pass::update) return update(in, sgd);
    switch (layer.kind) {
        case LayerKind::convolution:
            return convolution(layer, pass, in);
        case LayerKind::inner_product:
        case LayerKind::matmul:
            return product(layer, pass, in);
        case LayerKind::pooling:
            return pooling(layer, pass, in);
        case LayerKind::batch_normalization:
            return batch_normalization(layer, pass, in);
        case LayerKind::lrn:
            return lrn(layer, pass, in);
        case LayerKind::eltwise:
            return eltwise(layer, pass, in);
        case LayerKind::softmax:
            return softmax(layer, pass, in);
        case LayerKind::sum:
            return sum(in, "src", "dst");
        case LayerKind::split:
            return sum(in, "diff_dst", "diff_src");
        case LayerKind::concat:
            return concat(layer, pass, in);
        case LayerKind::dropout:
            return dropout(layer, pass, in);
        case LayerKind::reorder:
            return {{"dst", in.at("src")}};
        case LayerKind::other:
            break;
    }
    throw std::logic_error("unknown kind");
}

}  // namespace ridge::naive
