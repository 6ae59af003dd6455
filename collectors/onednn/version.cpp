#include "collectors/onednn/version.hpp"

#include <fmt/format.h>

namespace ridge::onednn {

using dnnl::normalization_flags;
using dnnl::prop_kind;

namespace {

constexpr auto kDirect = dnnl::algorithm::convolution_direct;
constexpr auto kTraining = prop_kind::forward_training;
const auto kScaleShift = normalization_flags::use_scale | normalization_flags::use_shift;

}  // namespace

#if DNNL_VERSION_MAJOR >= 3

ConvolutionForward convolution_forward(const Context& c, const Md& src, const Md& wei,
                                       const Md& bias, const Md& dst, const Window& w) {
    return {c.engine, kTraining, kDirect,   src,         wei,         bias,
            dst,      w.strides, w.dilates, w.padding_l, w.padding_r, c.attr};
}
ConvolutionBackwardData convolution_backward_data(const Context& c, const Md& diff_src,
                                                  const Md& wei, const Md& diff_dst,
                                                  const Window& w, const ConvolutionForward& hint) {
    return {c.engine,  kDirect,     diff_src,    wei,  diff_dst, w.strides,
            w.dilates, w.padding_l, w.padding_r, hint, c.attr};
}
ConvolutionBackwardWeights convolution_backward_weights(const Context& c, const Md& src,
                                                        const Md& diff_wei, const Md& diff_bias,
                                                        const Md& diff_dst, const Window& w,
                                                        const ConvolutionForward& hint) {
    return {c.engine,  kDirect,   src,         diff_wei,    diff_bias, diff_dst,
            w.strides, w.dilates, w.padding_l, w.padding_r, hint,      c.attr};
}
InnerProductForward inner_product_forward(const Context& c, const Md& src, const Md& wei,
                                          const Md& bias, const Md& dst) {
    return {c.engine, kTraining, src, wei, bias, dst, c.attr};
}
InnerProductBackwardData inner_product_backward_data(const Context& c, const Md& diff_src,
                                                     const Md& wei, const Md& diff_dst,
                                                     const InnerProductForward& hint) {
    return {c.engine, diff_src, wei, diff_dst, hint, c.attr};
}
InnerProductBackwardWeights inner_product_backward_weights(const Context& c, const Md& src,
                                                           const Md& diff_wei, const Md& diff_bias,
                                                           const Md& diff_dst,
                                                           const InnerProductForward& hint) {
    return {c.engine, src, diff_wei, diff_bias, diff_dst, hint, c.attr};
}
dnnl::matmul::primitive_desc matmul(const Context& c, const Md& src, const Md& wei, const Md& dst) {
    return {c.engine, src, wei, dst, c.attr};
}
PoolingForward pooling_forward(const Context& c, dnnl::algorithm algorithm, const Md& src,
                               const Md& dst, const Window& w) {
    return {c.engine, kTraining, algorithm,   src,         dst,   w.strides,
            w.kernel, w.dilates, w.padding_l, w.padding_r, c.attr};
}
PoolingBackward pooling_backward(const Context& c, dnnl::algorithm algorithm, const Md& diff_src,
                                 const Md& diff_dst, const Window& w, const PoolingForward& hint) {
    return {c.engine,  algorithm,   diff_src,    diff_dst, w.strides, w.kernel,
            w.dilates, w.padding_l, w.padding_r, hint,     c.attr};
}
BatchNormalizationForward batch_normalization_forward(const Context& c, const Md& data,
                                                      float epsilon) {
    return {c.engine, kTraining, data, data, epsilon, kScaleShift, c.attr};
}
BatchNormalizationBackward batch_normalization_backward(const Context& c, const Md& diff_data,
                                                        const Md& data, float epsilon,
                                                        const BatchNormalizationForward& hint) {
    return {c.engine, prop_kind::backward, diff_data, diff_data, data,
            epsilon,  kScaleShift,         hint,      c.attr};
}
LrnForward lrn_forward(const Context& c, const Md& data, const LrnParameters& p) {
    return {c.engine,     kTraining, p.algorithm, data, data,
            p.local_size, p.alpha,   p.beta,      p.k,  c.attr};
}
LrnBackward lrn_backward(const Context& c, const Md& diff_data, const Md& data,
                         const LrnParameters& p, const LrnForward& hint) {
    return {c.engine, p.algorithm, diff_data, diff_data, data,  p.local_size,
            p.alpha,  p.beta,      p.k,       hint,      c.attr};
}
EltwiseForward eltwise_forward(const Context& c, dnnl::algorithm algorithm, const Md& data) {
    return {c.engine, kTraining, algorithm, data, data, 0.0F, 0.0F, c.attr};
}
EltwiseBackward eltwise_backward(const Context& c, dnnl::algorithm algorithm, const Md& diff_data,
                                 const Md& data, const EltwiseForward& hint) {
    return {c.engine, algorithm, diff_data, diff_data, data, 0.0F, 0.0F, hint, c.attr};
}
SoftmaxForward softmax_forward(const Context& c, const Md& data, int axis) {
    return {c.engine, kTraining, dnnl::algorithm::softmax_accurate, data, data, axis, c.attr};
}
SoftmaxBackward softmax_backward(const Context& c, const Md& diff_data, const Md& dst, int axis,
                                 const SoftmaxForward& hint) {
    return {c.engine, dnnl::algorithm::softmax_accurate, diff_data, diff_data, dst, axis, hint,
            c.attr};
}
dnnl::sum::primitive_desc sum(const Context& c, const Md& dst, const std::vector<Md>& srcs) {
    return {c.engine, dst, std::vector<float>(srcs.size(), 1.0F), srcs, c.attr};
}
dnnl::concat::primitive_desc concat(const Context& c, const Md& dst, int axis,
                                    const std::vector<Md>& srcs) {
    return {c.engine, dst, axis, srcs, c.attr};
}

dnnl::memory::data_type type_of(const Md& md) {
    return md.get_data_type();
}

Layout layout_of(const Md& md) {
    Layout layout;
    layout.dims = md.get_dims();
    layout.padded_dims = md.get_padded_dims();
    layout.blocked_kind = md.get_format_kind() == dnnl::memory::format_kind::blocked;
    if (!layout.blocked_kind) return layout;
    layout.strides = md.get_strides();
    layout.inner_blocks = md.get_inner_blks();
    for (const auto index : md.get_inner_idxs())
        layout.inner_indices.push_back(static_cast<int>(index));
    return layout;
}

#else

ConvolutionForward convolution_forward(const Context& c, const Md& src, const Md& wei,
                                       const Md& bias, const Md& dst, const Window& w) {
    using Desc = dnnl::convolution_forward::desc;
    return {Desc(kTraining, kDirect, src, wei, bias, dst, w.strides, w.dilates, w.padding_l,
                 w.padding_r),
            c.attr, c.engine};
}
ConvolutionBackwardData convolution_backward_data(const Context& c, const Md& diff_src,
                                                  const Md& wei, const Md& diff_dst,
                                                  const Window& w, const ConvolutionForward& hint) {
    using Desc = dnnl::convolution_backward_data::desc;
    return {Desc(kDirect, diff_src, wei, diff_dst, w.strides, w.dilates, w.padding_l, w.padding_r),
            c.attr, c.engine, hint};
}
ConvolutionBackwardWeights convolution_backward_weights(const Context& c, const Md& src,
                                                        const Md& diff_wei, const Md& diff_bias,
                                                        const Md& diff_dst, const Window& w,
                                                        const ConvolutionForward& hint) {
    using Desc = dnnl::convolution_backward_weights::desc;
    return {Desc(kDirect, src, diff_wei, diff_bias, diff_dst, w.strides, w.dilates, w.padding_l,
                 w.padding_r),
            c.attr, c.engine, hint};
}
InnerProductForward inner_product_forward(const Context& c, const Md& src, const Md& wei,
                                          const Md& bias, const Md& dst) {
    return {dnnl::inner_product_forward::desc(kTraining, src, wei, bias, dst), c.attr, c.engine};
}
InnerProductBackwardData inner_product_backward_data(const Context& c, const Md& diff_src,
                                                     const Md& wei, const Md& diff_dst,
                                                     const InnerProductForward& hint) {
    return {dnnl::inner_product_backward_data::desc(diff_src, wei, diff_dst), c.attr, c.engine,
            hint};
}
InnerProductBackwardWeights inner_product_backward_weights(const Context& c, const Md& src,
                                                           const Md& diff_wei, const Md& diff_bias,
                                                           const Md& diff_dst,
                                                           const InnerProductForward& hint) {
    return {dnnl::inner_product_backward_weights::desc(src, diff_wei, diff_bias, diff_dst), c.attr,
            c.engine, hint};
}
dnnl::matmul::primitive_desc matmul(const Context& c, const Md& src, const Md& wei, const Md& dst) {
    return {dnnl::matmul::desc(src, wei, dst), c.attr, c.engine};
}
PoolingForward pooling_forward(const Context& c, dnnl::algorithm algorithm, const Md& src,
                               const Md& dst, const Window& w) {
    using Desc = dnnl::pooling_v2_forward::desc;
    return {Desc(kTraining, algorithm, src, dst, w.strides, w.kernel, w.dilates, w.padding_l,
                 w.padding_r),
            c.attr, c.engine};
}
PoolingBackward pooling_backward(const Context& c, dnnl::algorithm algorithm, const Md& diff_src,
                                 const Md& diff_dst, const Window& w, const PoolingForward& hint) {
    using Desc = dnnl::pooling_v2_backward::desc;
    return {Desc(algorithm, diff_src, diff_dst, w.strides, w.kernel, w.dilates, w.padding_l,
                 w.padding_r),
            c.attr, c.engine, hint};
}
BatchNormalizationForward batch_normalization_forward(const Context& c, const Md& data,
                                                      float epsilon) {
    return {dnnl::batch_normalization_forward::desc(kTraining, data, epsilon, kScaleShift), c.attr,
            c.engine};
}
BatchNormalizationBackward batch_normalization_backward(const Context& c, const Md& diff_data,
                                                        const Md& data, float epsilon,
                                                        const BatchNormalizationForward& hint) {
    using Desc = dnnl::batch_normalization_backward::desc;
    return {Desc(prop_kind::backward, diff_data, data, epsilon, kScaleShift), c.attr, c.engine,
            hint};
}
LrnForward lrn_forward(const Context& c, const Md& data, const LrnParameters& p) {
    using Desc = dnnl::lrn_forward::desc;
    return {Desc(kTraining, p.algorithm, data, p.local_size, p.alpha, p.beta, p.k), c.attr,
            c.engine};
}
LrnBackward lrn_backward(const Context& c, const Md& diff_data, const Md& data,
                         const LrnParameters& p, const LrnForward& hint) {
    using Desc = dnnl::lrn_backward::desc;
    return {Desc(p.algorithm, data, diff_data, p.local_size, p.alpha, p.beta, p.k), c.attr,
            c.engine, hint};
}
EltwiseForward eltwise_forward(const Context& c, dnnl::algorithm algorithm, const Md& data) {
    return {dnnl::eltwise_forward::desc(kTraining, algorithm, data, 0.0F, 0.0F), c.attr, c.engine};
}
EltwiseBackward eltwise_backward(const Context& c, dnnl::algorithm algorithm, const Md& diff_data,
                                 const Md& data, const EltwiseForward& hint) {
    return {dnnl::eltwise_backward::desc(algorithm, diff_data, data, 0.0F, 0.0F), c.attr, c.engine,
            hint};
}
SoftmaxForward softmax_forward(const Context& c, const Md& data, int axis) {
    return {dnnl::softmax_forward::desc(kTraining, data, axis), c.attr, c.engine};
}
SoftmaxBackward softmax_backward(const Context& c, const Md& diff_data, const Md& dst, int axis,
                                 const SoftmaxForward& hint) {
    return {dnnl::softmax_backward::desc(diff_data, dst, axis), c.attr, c.engine, hint};
}
dnnl::sum::primitive_desc sum(const Context& c, const Md& dst, const std::vector<Md>& srcs) {
    return {dst, std::vector<float>(srcs.size(), 1.0F), srcs, c.engine, c.attr};
}
dnnl::concat::primitive_desc concat(const Context& c, const Md& dst, int axis,
                                    const std::vector<Md>& srcs) {
    return {dst, axis, srcs, c.engine, c.attr};
}

dnnl::memory::data_type type_of(const Md& md) {
    return md.data_type();
}

Layout layout_of(const Md& md) {
    const auto& d = md.data;
    Layout layout;
    layout.dims.assign(d.dims, d.dims + d.ndims);
    layout.padded_dims.assign(d.padded_dims, d.padded_dims + d.ndims);
    layout.blocked_kind = d.format_kind == dnnl_blocked;
    if (!layout.blocked_kind) return layout;
    const auto& blocking = d.format_desc.blocking;
    layout.strides.assign(blocking.strides, blocking.strides + d.ndims);
    layout.inner_blocks.assign(blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks);
    layout.inner_indices.assign(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks);
    return layout;
}

#endif

std::string library_version() {
    const dnnl_version_t* v = dnnl_version();
    return fmt::format("{}.{}.{}", v->major, v->minor, v->patch);
}

std::string library_isa() {
    switch (dnnl::get_effective_cpu_isa()) {
        case dnnl::cpu_isa::sse41:
            return "sse41";
        case dnnl::cpu_isa::avx:
            return "avx";
        case dnnl::cpu_isa::avx2:
            return "avx2";
        case dnnl::cpu_isa::avx2_vnni:
            return "avx2_vnni";
        case dnnl::cpu_isa::avx512_core:
            return "avx512_core";
        case dnnl::cpu_isa::avx512_core_vnni:
            return "avx512_core_vnni";
        case dnnl::cpu_isa::avx512_core_bf16:
            return "avx512_core_bf16";
#if DNNL_VERSION_MAJOR >= 3
        case dnnl::cpu_isa::avx2_vnni_2:
            return "avx2_vnni_2";
        case dnnl::cpu_isa::avx512_core_fp16:
            return "avx512_core_fp16";
        case dnnl::cpu_isa::avx512_core_amx:
            return "avx512_core_amx";
        case dnnl::cpu_isa::avx512_core_amx_fp16:
            return "avx512_core_amx_fp16";
#else
        case dnnl::cpu_isa::avx512_mic:
            return "avx512_mic";
        case dnnl::cpu_isa::avx512_mic_4ops:
            return "avx512_mic_4ops";
        case dnnl::cpu_isa::avx512_core_amx:
            return "avx512_core_amx";
#endif
        default:
            return fmt::format("isa {:#x}", static_cast<unsigned>(dnnl::get_effective_cpu_isa()));
    }
}

}  // namespace ridge::onednn
