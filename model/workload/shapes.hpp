// Arithmetic on windows that slide over images, and on tensors, shared by the kinds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/workload/kinds.hpp"
#include "model/workload/problem.hpp"
#include "ridge/layer.hpp"

namespace ridge::workload {

/// One dimension of a sliding window: input size, output size, kernel, stride, dilation (0 dense),
/// padding before the first element.
struct Window {
    std::int64_t i = 1, o = 1, k = 1, s = 1, d = 0, p = 0;

    /// Elements from the first to the last tap.
    [[nodiscard]] std::int64_t extent() const { return (k - 1) * (d + 1) + 1; }
    /// Padding behind the last element; negative when the last elements are never reached.
    [[nodiscard]] std::int64_t padding_after() const { return (o - 1) * s + extent() - i - p; }
};

[[nodiscard]] Window height_window(const Layer& layer);
[[nodiscard]] Window width_window(const Layer& layer);

/// Pairs (output, tap) whose tap lies inside the image: sum over o of taps inside. The useful work
/// of one dimension; k*o counts padding too.
[[nodiscard]] std::int64_t taps_inside(const Window& window);
/// Input elements that any tap reads.
[[nodiscard]] std::int64_t touched_inputs(const Window& window);
/// Taps that lie inside the image for any output: the others multiply nothing but padding.
[[nodiscard]] std::int64_t used_taps(const Window& window);

/// Which outputs a window may have for an input size.
enum class Rounding {
    floor_or_same,  ///< convolution: floor((i + 2p - extent)/s) + 1, or ceil(i/s) with one more
                    ///< element of padding behind than before (TensorFlow's SAME)
    any,            ///< pooling: whatever keeps every window on the image (ceil mode included)
    beyond,         ///< the sizes as they are: windows may lie in the padding altogether, as
                    ///< DeepBench's 1x1 kernels with padding 3, and any end may stay unread
};

/// A dimension as read, and whether its padding was written out.
struct ReadWindow {
    Window window;
    bool padding_given = false;
};
/// Reads one dimension ('h' or 'w') of a window from the text with benchdnn's rules: the output
/// follows from the padding, or the padding from the output (half of what the windows reach beyond
/// the image). Missing keys of the second dimension repeat `other`.
[[nodiscard]] ReadWindow read_window(ProblemReader& text, char dimension, Rounding rounding,
                                     const ReadWindow* other);
/// Sets ih/oh/kh/sh/dh/ph and their widths.
void read_windows(ProblemReader& text, Layer& layer, Rounding rounding);
/// Whether every window meets the image and one more would not be whole.
[[nodiscard]] bool stays_on_image(const Window& window);
/// Whether the outputs are those that `floor_or_same` takes.
[[nodiscard]] bool is_floor_or_same(const Window& window);
/// "ih56oh56kh3ph1" with widths only when they differ from the heights.
[[nodiscard]] std::string write_windows(const Layer& layer);
/// Images in a batch when a line does not say, as in benchdnn.
inline constexpr std::int64_t default_mb = 2;
/// Reads mb ic ih iw of kinds without a window, oh = ih, ow = iw, oc = ic.
void read_image(ProblemReader& text, Layer& layer);
/// The same, or benchdnn's dimensions "8x64x56x56" (mb, ic, ih, iw; the last ones may be absent).
void read_image_or_dimensions(ProblemReader& text, Layer& layer);
/// "64x1024:1024x512" as {{64, 1024}, {1024, 512}}; `form` says what was expected.
[[nodiscard]] std::vector<std::vector<std::int64_t>> read_dimensions(ProblemReader& text,
                                                                     std::string_view form);
/// An attribute that counts tensors, from 2 to 1024.
[[nodiscard]] std::size_t read_count(ProblemReader& text, const std::string& attribute,
                                     std::size_t fallback);
/// mb ic ih iw from two to four sizes (three: mb ic iw, as in benchdnn), the same outputs.
void set_image(const ProblemReader& text, Layer& layer, const std::vector<std::int64_t>& sizes);
/// "ih56" or "ih56iw40"; nothing for a single element.
[[nodiscard]] std::string write_extents(const Layer& layer);
/// "mb8ic64ih56", width only when it differs.
[[nodiscard]] std::string write_image(const Layer& layer);

[[nodiscard]] double source_elements(const Layer& layer);       ///< mb ic ih iw
[[nodiscard]] double destination_elements(const Layer& layer);  ///< mb oc oh ow

enum class Access { read, write, both };
/// A tensor of `elements` in `type`.
[[nodiscard]] TensorUse tensor(std::string name, double elements, DataType type, Access access);

/// Each tensor read once where the pass reads it and written once where it writes it: the least
/// traffic of kinds that touch every element.
[[nodiscard]] Bytes every_element_once(const Layer& layer, Pass pass);
/// The same where only a share of `src` and of `wei` is needed.
[[nodiscard]] Bytes least_traffic(const std::vector<TensorUse>& tensors, double src_share,
                                  double wei_share);

/// Weights, their gradient and the momentum as SGD uses them: v = m v + g; w = w - r v. All three
/// have the data type of the weights.
[[nodiscard]] std::vector<TensorUse> update_tensors(std::int64_t parameters, DataType type);
/// Two multiply-adds per parameter.
[[nodiscard]] Flops update_flops(std::int64_t parameters);

[[nodiscard]] Shape image_shape(const Layer& layer, std::size_t);  ///< ic ih iw of every input
[[nodiscard]] Shape output_shape(const Layer& layer);              ///< oc oh ow
[[nodiscard]] std::int64_t no_parameters(const Layer& layer);
[[nodiscard]] std::size_t one_input(const Layer& layer);
[[nodiscard]] std::size_t several_inputs(const Layer& layer);  ///< as many as Layer::inputs has

}  // namespace ridge::workload
