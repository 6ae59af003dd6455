#include "model/predict/gpu/work.hpp"

#include <fmt/format.h>

namespace ridge::gpu {
namespace {

double product(std::initializer_list<std::int64_t> factors) {
    double result = 1;
    for (const auto factor : factors) result *= static_cast<double>(factor);
    return result;
}

}  // namespace

std::string_view to_string(WorkKind kind) {
    switch (kind) {
        case WorkKind::gemm:
            return "gemm";
        case WorkKind::convolution:
            return "convolution";
        case WorkKind::elementwise:
            return "elementwise";
        case WorkKind::softmax:
            return "softmax";
        case WorkKind::layer_norm:
            return "layer norm";
        case WorkKind::batch_norm:
            return "batch norm";
        case WorkKind::pooling:
            return "pooling";
        case WorkKind::recurrent:
            return "recurrent";
    }
    return "?";
}

Flops work_flops(const Work& w) {
    const Dims& d = w.dims;
    switch (w.kind) {
        case WorkKind::gemm:
            return Flops(2 * product({w.batch, w.m, w.n, w.k}));
        case WorkKind::convolution:
            return Flops(2 * product({d.mb, d.oc, d.oh, d.ow, d.ic / d.g, d.kh, d.kw}));
        case WorkKind::recurrent:
            return Flops(2 * product({w.gates, w.timesteps, w.batch, w.hidden, w.hidden}));
        case WorkKind::pooling:
            return Flops(product({d.mb, d.oc, d.oh, d.ow, d.kh, d.kw}));
        case WorkKind::batch_norm:
            return Flops(4 * product({d.mb, d.ic, d.ih, d.iw}));
        case WorkKind::elementwise:
            return Flops(w.flops_per_element * product({w.rows, w.cols}));
        case WorkKind::softmax:
        case WorkKind::layer_norm:
            return Flops(5 * product({w.rows, w.cols}));
    }
    return Flops(0);
}

Bytes work_bytes(const Work& w) {
    const Dims& d = w.dims;
    const double src = product({d.mb, d.ic, d.ih, d.iw}), dst = product({d.mb, d.oc, d.oh, d.ow});
    const double size = size_of(w.dtype).value();
    switch (w.kind) {
        case WorkKind::gemm:
            return Bytes(size * static_cast<double>(w.batch) *
                         (product({w.m, w.k}) + product({w.k, w.n}) +
                          (w.accumulate ? 2 : 1) * product({w.m, w.n})));
        case WorkKind::convolution:
            return Bytes(size * (src + dst + product({d.oc, d.ic / d.g, d.kh, d.kw})));
        case WorkKind::recurrent:
            return Bytes(size * (product({w.gates, w.hidden, w.hidden}) +
                                 product({w.gates + 1, w.timesteps, w.batch, w.hidden})));
        case WorkKind::pooling:
            return Bytes(size * (w.pass == Pass::forward ? src + dst : 2 * (src + dst)));
        case WorkKind::batch_norm:
            return Bytes(size * src * (w.pass == Pass::forward ? 3 : 5));
        case WorkKind::elementwise:
            return Bytes(size * (w.reads + w.writes) * product({w.rows, w.cols}));
        case WorkKind::softmax:
        case WorkKind::layer_norm:
            return Bytes(size * 2 * product({w.rows, w.cols}));
    }
    return Bytes(0);
}

std::string shape_key(const Work& w) {
    const Dims& d = w.dims;
    switch (w.kind) {
        case WorkKind::gemm:
            return fmt::format("g{}x{}x{}x{}", w.batch, w.m, w.n, w.k);
        case WorkKind::recurrent:
            return fmt::format("r{}x{}", w.gates, w.hidden);
        case WorkKind::elementwise:
        case WorkKind::softmax:
        case WorkKind::layer_norm:
            return fmt::format("v{}x{}", w.rows, w.cols);
        case WorkKind::convolution:
        case WorkKind::pooling:
        case WorkKind::batch_norm:
            break;
    }
    return fmt::format("c{}-{}i{}x{}o{}x{}k{}x{}s{}x{}", d.ic, d.oc, d.ih, d.iw, d.oh, d.ow, d.kh,
                       d.kw, d.sh, d.sw);
}

}  // namespace ridge::gpu
