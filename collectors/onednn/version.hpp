// Every difference between the releases of oneDNN, 2.6 and 3.x, behind one set of functions. The
// rest of the collector uses only what both have: 3.x dropped the operation descriptors, split
// source and destination formats of element-wise kinds, merged pooling_v2 into pooling, made
// memory descriptors opaque, and renamed instruction sets.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <string>
#include <vector>

namespace ridge::onednn {

using Md = dnnl::memory::desc;
using MemoryDims = dnnl::memory::dims;

#if DNNL_VERSION_MAJOR >= 3
using PoolingForward = dnnl::pooling_forward::primitive_desc;
using PoolingBackward = dnnl::pooling_backward::primitive_desc;
#else
using PoolingForward = dnnl::pooling_v2_forward::primitive_desc;
using PoolingBackward = dnnl::pooling_v2_backward::primitive_desc;
#endif
using ConvolutionForward = dnnl::convolution_forward::primitive_desc;
using ConvolutionBackwardData = dnnl::convolution_backward_data::primitive_desc;
using ConvolutionBackwardWeights = dnnl::convolution_backward_weights::primitive_desc;
using InnerProductForward = dnnl::inner_product_forward::primitive_desc;
using InnerProductBackwardData = dnnl::inner_product_backward_data::primitive_desc;
using InnerProductBackwardWeights = dnnl::inner_product_backward_weights::primitive_desc;
using BatchNormalizationForward = dnnl::batch_normalization_forward::primitive_desc;
using BatchNormalizationBackward = dnnl::batch_normalization_backward::primitive_desc;
using LrnForward = dnnl::lrn_forward::primitive_desc;
using LrnBackward = dnnl::lrn_backward::primitive_desc;
using EltwiseForward = dnnl::eltwise_forward::primitive_desc;
using EltwiseBackward = dnnl::eltwise_backward::primitive_desc;
using SoftmaxForward = dnnl::softmax_forward::primitive_desc;
using SoftmaxBackward = dnnl::softmax_backward::primitive_desc;

/// Strides, dilations (0 is dense) and padding of convolution; kernel of pooling. Height first.
struct Window {
    MemoryDims kernel, strides, dilates, padding_l, padding_r;
};
struct LrnParameters {
    dnnl::algorithm algorithm;
    dnnl::memory::dim local_size;
    float alpha, beta, k;
};

/// Engine and attributes of all primitives of a step: CPU, scratchpad given by the user.
struct Context {
    dnnl::engine engine;
    dnnl::primitive_attr attr;
};

// Primitive descriptors for training. An empty bias descriptor means no bias. All throw
// dnnl::error; status unimplemented when the library has no kernel for the combination.
ConvolutionForward convolution_forward(const Context&, const Md& src, const Md& wei, const Md& bias,
                                       const Md& dst, const Window&);
ConvolutionBackwardData convolution_backward_data(const Context&, const Md& diff_src, const Md& wei,
                                                  const Md& diff_dst, const Window&,
                                                  const ConvolutionForward& hint);
ConvolutionBackwardWeights convolution_backward_weights(const Context&, const Md& src,
                                                        const Md& diff_wei, const Md& diff_bias,
                                                        const Md& diff_dst, const Window&,
                                                        const ConvolutionForward& hint);
InnerProductForward inner_product_forward(const Context&, const Md& src, const Md& wei,
                                          const Md& bias, const Md& dst);
InnerProductBackwardData inner_product_backward_data(const Context&, const Md& diff_src,
                                                     const Md& wei, const Md& diff_dst,
                                                     const InnerProductForward& hint);
InnerProductBackwardWeights inner_product_backward_weights(const Context&, const Md& src,
                                                           const Md& diff_wei, const Md& diff_bias,
                                                           const Md& diff_dst,
                                                           const InnerProductForward& hint);
dnnl::matmul::primitive_desc matmul(const Context&, const Md& src, const Md& wei, const Md& dst);
PoolingForward pooling_forward(const Context&, dnnl::algorithm, const Md& src, const Md& dst,
                               const Window&);
PoolingBackward pooling_backward(const Context&, dnnl::algorithm, const Md& diff_src,
                                 const Md& diff_dst, const Window&, const PoolingForward& hint);
/// With scale and shift as two f32 vectors.
BatchNormalizationForward batch_normalization_forward(const Context&, const Md& data,
                                                      float epsilon);
BatchNormalizationBackward batch_normalization_backward(const Context&, const Md& diff_data,
                                                        const Md& data, float epsilon,
                                                        const BatchNormalizationForward& hint);
LrnForward lrn_forward(const Context&, const Md& data, const LrnParameters&);
LrnBackward lrn_backward(const Context&, const Md& diff_data, const Md& data, const LrnParameters&,
                         const LrnForward& hint);
EltwiseForward eltwise_forward(const Context&, dnnl::algorithm, const Md& data);
EltwiseBackward eltwise_backward(const Context&, dnnl::algorithm, const Md& diff_data,
                                 const Md& data, const EltwiseForward& hint);
SoftmaxForward softmax_forward(const Context&, const Md& data, int axis);
SoftmaxBackward softmax_backward(const Context&, const Md& diff_data, const Md& dst, int axis,
                                 const SoftmaxForward& hint);
dnnl::sum::primitive_desc sum(const Context&, const Md& dst, const std::vector<Md>& srcs);
dnnl::concat::primitive_desc concat(const Context&, const Md& dst, int axis,
                                    const std::vector<Md>& srcs);

/// Strided and blocked layout of a descriptor, in elements.
struct Layout {
    MemoryDims dims, padded_dims, strides;
    std::vector<int> inner_indices;  ///< dimension of each inner block, outermost first
    MemoryDims inner_blocks;
    bool blocked_kind = false;  ///< false: opaque format (Winograd, RNN packed)
};
[[nodiscard]] Layout layout_of(const Md& md);
[[nodiscard]] dnnl::memory::data_type type_of(const Md& md);

/// "2.6.3", of the library that runs.
[[nodiscard]] std::string library_version();
/// "avx512_core_bf16": what the library's kernels may use on this CPU.
[[nodiscard]] std::string library_isa();

}  // namespace ridge::onednn
