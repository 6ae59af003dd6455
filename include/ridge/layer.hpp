// One operator of a network with its dimensions, in benchdnn's vocabulary, and the passes of a
// training step. A layer on the command line or in a network file is one line, driver first:
//
//   conv:mb16ic64ih56oc64oh56kh3ph1      ip:mb32ic4096oc1000       pool:mb8ic96ih55oh27kh3sh2
//
// As in benchdnn, a missing width repeats the height, kernel width, stride and padding alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/units.hpp"

namespace ridge {

enum class LayerKind {
    convolution,
    inner_product,
    matmul,
    pooling,
    batch_normalization,
    lrn,
    eltwise,
    softmax,  ///< with the cross-entropy loss of training when Layer::loss is set
    sum,      ///< element-wise sum of n inputs
    concat,   ///< along channels
    split,    ///< one tensor read by n consumers: forward is an alias, backward sums n gradients
    dropout,
    reorder,  ///< copy between two memory formats
    other,    ///< an operation without a model of its own: only its bytes count
};

/// A pass of a training step over one layer. Layers without weights have `backward` only;
/// `update` is SGD with momentum over the layer's parameters.
enum class Pass { forward, backward_data, backward_weights, backward, update };
inline constexpr std::array all_passes{Pass::forward, Pass::backward_data, Pass::backward_weights,
                                       Pass::backward, Pass::update};

enum class DataType { f64, f32, tf32, f16, bf16, s8, u8, s32 };

/// benchdnn's words where benchdnn has one.
[[nodiscard]] std::string_view to_string(LayerKind kind);
[[nodiscard]] std::string_view to_string(Pass pass);
[[nodiscard]] std::string_view to_string(DataType type);
[[nodiscard]] std::optional<LayerKind> layer_kind_from_string(std::string_view word);
[[nodiscard]] std::optional<Pass> pass_from_string(std::string_view word);
[[nodiscard]] std::optional<DataType> data_type_from_string(std::string_view word);
[[nodiscard]] Bytes size_of(DataType type);

/// What a layer computes where its kind leaves a choice.
enum class Algorithm {
    none,
    max,                  // pooling
    avg_include_padding,  // pooling
    avg_exclude_padding,  // pooling
    relu,                 // eltwise
    tanh,                 // eltwise
    logistic,             // eltwise
    lrn_across_channels,  // lrn
    lrn_within_channel,   // lrn
};

/// Sizes in elements. ic and oc are totals over all groups. Spatial sizes of layers that have
/// none are 1. ph/pw are the padding at top/left; ph_r/pw_r at bottom/right follow from the
/// sizes: (oh-1)*sh + (kh-1)*(dh+1) + 1 - ih - ph. Dilation 0 means dense, as in benchdnn.
/// matmul uses mb x ic times ic x oc (m, k, n), g times.
struct Dims {
    std::int64_t mb = 1, g = 1, ic = 1, oc = 1;
    std::int64_t ih = 1, iw = 1, oh = 1, ow = 1;
    std::int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 0, dw = 0, ph = 0, pw = 0;
    bool operator==(const Dims&) const = default;
};

struct Layer {
    LayerKind kind = LayerKind::convolution;
    std::string name;  ///< as the network calls it; may be empty
    Dims dims;
    Algorithm algorithm = Algorithm::none;
    DataType dtype = DataType::f32;
    bool bias = true;             ///< convolution, inner product, matmul
    bool in_place = false;        ///< dst is src (eltwise, dropout)
    bool loss = false;            ///< softmax computes the loss and its gradient
    std::int64_t local_size = 5;  ///< lrn
    double lrn_alpha = 1e-4, lrn_beta = 0.75, lrn_k = 1;  ///< (k + alpha/local_size sum x^2)^-beta
    double drop_ratio = 0.5;                              ///< dropout
    std::vector<std::int64_t>
        inputs;             ///< channels of each input (concat); one entry per input (sum, split)
    std::string operation;  ///< other: what it is called where it comes from
    bool operator==(const Layer&) const = default;
};

/// Parses "driver:problem[n"name"][,attribute=value...]" as docs/formats.md describes it ("Layer
/// lines"); what is missing follows benchdnn's rules. Throws Error bad_input naming the line, the
/// key, what was expected and what was found.
[[nodiscard]] Layer parse_layer(std::string_view line);
/// The canonical line of a layer; parse_layer(to_line(l)) == l for every l that parse_layer made.
/// Without the name unless it has one.
[[nodiscard]] std::string to_line(const Layer& layer);

/// One tensor that a pass reads or writes. An in-place tensor is listed once, read and written.
struct TensorUse {
    std::string name;  ///< src wei bias dst diff_src diff_wei diff_bias diff_dst ws mask mean
                       ///< variance scale_shift diff_scale_shift momentum labels; "src0", "src1"...
                       ///< (diff_src0, diff_dst0...) where there are several
    std::int64_t elements = 0;
    Bytes size;  ///< elements x element size
    bool read = false, written = false;
};

/// The passes that training runs for this layer, before the network removes those that it does
/// not need (the first layer has no backward_data). The functions below give 0, or nothing, for a
/// pass that is not among them. Their definitions per kind: docs/model.md, "Work of a layer".
[[nodiscard]] std::vector<Pass> training_passes(const Layer& layer);

/// Floating-point operations on data inside the image: padding taps are not counted, a
/// multiply-add is 2 (as benchdnn counts), comparisons and copies are 0.
[[nodiscard]] Flops useful_flops(const Layer& layer, Pass pass);
/// The simple formula, padding taps included (as many papers count).
[[nodiscard]] Flops simple_flops(const Layer& layer, Pass pass);
/// Every tensor of the pass with its size; a stride that skips source elements keeps the full
/// tensor here (see minimum_bytes).
[[nodiscard]] std::vector<TensorUse> tensors(const Layer& layer, Pass pass);
/// Least traffic with memory: each byte that the pass must read or write, once. Source elements
/// that a stride skips are not read.
[[nodiscard]] Bytes minimum_bytes(const Layer& layer, Pass pass);
/// Size of all distinct tensors of the pass (an in-place tensor counts once): what must fit into
/// a cache for the pass to run from it.
[[nodiscard]] Bytes footprint(const Layer& layer, Pass pass);
/// Trainable parameters.
[[nodiscard]] std::int64_t parameters(const Layer& layer);

/// Memory layouts of an activation; they differ in what a strided access wastes.
enum class Layout { nchw, nhwc, nChw16c };
/// Bytes of the whole cache lines that hold the source elements which a convolution's or pooling's
/// taps read, for a source that starts on a line. minimum_bytes counts the elements themselves: of
/// a 1x1 convolution with stride 2 a quarter of the source, but every line of every second row in
/// nchw. Throws Error job_failed for other kinds.
[[nodiscard]] Bytes source_line_bytes(const Layer& layer, Layout layout,
                                      Bytes line_size = Bytes(64));

}  // namespace ridge
