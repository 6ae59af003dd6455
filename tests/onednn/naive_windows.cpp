#include "tests/onednn/naive_windows.hpp"

#include <cmath>
#include <functional>

namespace ridge::naive {
namespace {

using Vector = std::vector<double>;

std::size_t size(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

/// Calls f(output position, tap, input position) for every tap of every output; `inside` tells
/// whether the input position lies in the image.
struct Tap {
    std::int64_t oy, ox, ky, kx, iy, ix;
    bool inside;
};
void for_taps(const Dims& d, const std::function<void(const Tap&)>& f) {
    for (std::int64_t oy = 0; oy < d.oh; ++oy)
        for (std::int64_t ox = 0; ox < d.ow; ++ox)
            for (std::int64_t ky = 0; ky < d.kh; ++ky)
                for (std::int64_t kx = 0; kx < d.kw; ++kx) {
                    const std::int64_t iy = oy * d.sh - d.ph + ky * (d.dh + 1);
                    const std::int64_t ix = ox * d.sw - d.pw + kx * (d.dw + 1);
                    const bool inside = iy >= 0 && iy < d.ih && ix >= 0 && ix < d.iw;
                    f({oy, ox, ky, kx, iy, ix, inside});
                }
}

}  // namespace

Values convolution(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const Image src_at{d.ic, d.ih, d.iw}, dst_at{d.oc, d.oh, d.ow};
    const std::int64_t icg = d.ic / d.g, ocg = d.oc / d.g;
    const auto wei_at = [&](std::int64_t oc, std::int64_t ic, const Tap& t) {
        return size(((oc * icg + ic) * d.kh + t.ky) * d.kw + t.kx);
    };
    const auto each = [&](const std::function<void(std::size_t, std::size_t, std::size_t)>& f) {
        for (std::int64_t n = 0; n < d.mb; ++n)
            for (std::int64_t oc = 0; oc < d.oc; ++oc)
                for (std::int64_t ic = 0; ic < icg; ++ic)
                    for_taps(d, [&](const Tap& t) {
                        if (t.inside)
                            f(src_at.at(n, oc / ocg * icg + ic, t.iy, t.ix), wei_at(oc, ic, t),
                              dst_at.at(n, oc, t.oy, t.ox));
                    });
    };
    if (pass == Pass::forward) {
        const Vector &src = in.at("src"), &wei = in.at("wei");
        Vector dst(size(d.mb * d.oc * d.oh * d.ow), 0);
        if (layer.bias)
            for (std::size_t i = 0; i < dst.size(); ++i)
                dst[i] = in.at("bias")[i / size(d.oh * d.ow) % size(d.oc)];
        each([&](std::size_t s, std::size_t w, std::size_t o) { dst[o] += src[s] * wei[w]; });
        return {{"dst", dst}};
    }
    const Vector& diff_dst = in.at("diff_dst");
    if (pass == Pass::backward_data) {
        Vector diff_src(size(d.mb * d.ic * d.ih * d.iw), 0);
        const Vector& wei = in.at("wei");
        each([&](std::size_t s, std::size_t w, std::size_t o) {
            diff_src[s] += diff_dst[o] * wei[w];
        });
        return {{"diff_src", diff_src}};
    }
    const Vector& src = in.at("src");
    Values out{{"diff_wei", Vector(size(d.oc * icg * d.kh * d.kw), 0)}};
    Vector& diff_wei = out["diff_wei"];
    each([&](std::size_t s, std::size_t w, std::size_t o) { diff_wei[w] += diff_dst[o] * src[s]; });
    if (layer.bias) {
        Vector diff_bias(size(d.oc), 0);
        for (std::size_t i = 0; i < diff_dst.size(); ++i)
            diff_bias[i / size(d.oh * d.ow) % size(d.oc)] += diff_dst[i];
        out["diff_bias"] = diff_bias;
    }
    return out;
}

Values product(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const bool inner = layer.kind == LayerKind::inner_product;
    const std::size_t m = size(d.mb), n = size(d.oc), k = size(d.ic * d.ih * d.iw);
    const auto wei_at = [&](std::size_t kk, std::size_t nn) {
        return inner ? nn * k + kk : kk * n + nn;
    };
    const auto each = [&](const std::function<void(std::size_t, std::size_t, std::size_t)>& f) {
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t l = 0; l < k; ++l) f(i * k + l, wei_at(l, j), i * n + j);
    };
    if (pass == Pass::forward) {
        Vector dst(m * n, 0);
        if (layer.bias && inner)
            for (std::size_t i = 0; i < m * n; ++i) dst[i] = in.at("bias")[i % n];
        const Vector &src = in.at("src"), &wei = in.at("wei");
        each([&](std::size_t s, std::size_t w, std::size_t o) { dst[o] += src[s] * wei[w]; });
        return {{"dst", dst}};
    }
    const Vector& diff_dst = in.at("diff_dst");
    if (pass == Pass::backward_data) {
        Vector diff_src(m * k, 0);
        const Vector& wei = in.at("wei");
        each([&](std::size_t s, std::size_t w, std::size_t o) {
            diff_src[s] += diff_dst[o] * wei[w];
        });
        return {{"diff_src", diff_src}};
    }
    Vector diff_wei(n * k, 0);
    const Vector& src = in.at("src");
    each([&](std::size_t s, std::size_t w, std::size_t o) { diff_wei[w] += diff_dst[o] * src[s]; });
    Values out{{"diff_wei", diff_wei}};
    if (layer.bias && inner) {
        Vector diff_bias(n, 0);
        for (std::size_t i = 0; i < diff_dst.size(); ++i) diff_bias[i % n] += diff_dst[i];
        out["diff_bias"] = diff_bias;
    }
    return out;
}

Values pooling(const Layer& layer, Pass pass, const Values& in) {
    const Dims& d = layer.dims;
    const Image src_at{d.ic, d.ih, d.iw}, dst_at{d.oc, d.oh, d.ow};
    const bool forward = pass == Pass::forward;
    const Vector& src = in.at("src");
    Vector dst(size(d.mb * d.oc * d.oh * d.ow), 0), diff_src(src.size(), 0);
    std::vector<double> counts(size(d.oh * d.ow), 0);
    for_taps(d, [&](const Tap& t) {
        if (t.inside || layer.algorithm == Algorithm::avg_include_padding)
            counts[size(t.oy * d.ow + t.ox)] += 1;
    });
    for (std::int64_t n = 0; n < d.mb; ++n)
        for (std::int64_t c = 0; c < d.ic; ++c) {
            if (layer.algorithm == Algorithm::max) {
                std::vector<std::ptrdiff_t> best(size(d.oh * d.ow), -1);
                for_taps(d, [&](const Tap& t) {
                    auto& b = best[size(t.oy * d.ow + t.ox)];
                    const auto s = static_cast<std::ptrdiff_t>(src_at.at(n, c, t.iy, t.ix));
                    if (t.inside && (b < 0 || src[static_cast<std::size_t>(s)] >
                                                  src[static_cast<std::size_t>(b)]))
                        b = s;
                });
                for (std::size_t o = 0; o < best.size(); ++o) {
                    const std::size_t at = dst_at.at(n, c, 0, 0) + o;
                    const auto s = static_cast<std::size_t>(best[o]);
                    if (forward)
                        dst[at] = src[s];
                    else
                        diff_src[s] += in.at("diff_dst")[at];
                }
                continue;
            }
            for_taps(d, [&](const Tap& t) {
                if (!t.inside) return;
                const double share = 1 / counts[size(t.oy * d.ow + t.ox)];
                const std::size_t s = src_at.at(n, c, t.iy, t.ix), o = dst_at.at(n, c, t.oy, t.ox);
                if (forward)
                    dst[o] += share * src[s];
                else
                    diff_src[s] += share * in.at("diff_dst")[o];
            });
        }
    if (forward) return {{"dst", dst}};
    return {{"diff_src", diff_src}};
}

}  // namespace ridge::naive
