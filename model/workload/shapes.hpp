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

/// Memory layouts that differ in what a strided access wastes.
enum class Layout { nchw, nhwc };
/// Share of the source's 64-byte lines that the taps of a convolution or pooling touch, for a
/// source that starts on a line.
[[nodiscard]] double touched_lines_share(const Layer& layer, Layout layout);

/// Reads one dimension ('h' or 'w') of a window from the text with benchdnn's rules: the output
/// follows from padding, or the padding from the output. `shape` holds what the other dimension
/// gave, which missing keys repeat.
[[nodiscard]] Window read_window(ProblemReader& text, char dimension, const Window* other);
/// Sets ih/oh/kh/sh/dh/ph and their widths.
void read_windows(ProblemReader& text, Layer& layer);
/// "ih56oh56kh3ph1" with widths only when they differ from the heights.
[[nodiscard]] std::string write_windows(const Layer& layer);
/// Reads ih and iw of kinds without a window, oh = ih, ow = iw, oc = ic.
void read_image(ProblemReader& text, Layer& layer);
/// The same, or benchdnn's dimensions "8x64x56x56" (mb, ic, ih, iw; the last ones may be absent).
void read_image_or_dimensions(ProblemReader& text, Layer& layer);
/// "64x1024:1024x512" as {{64, 1024}, {1024, 512}}; `form` says what was expected.
[[nodiscard]] std::vector<std::vector<std::int64_t>> read_dimensions(const ProblemReader& text,
                                                                     std::string_view form);
/// An attribute that counts tensors, from 2 to 1024.
[[nodiscard]] std::size_t read_count(ProblemReader& text, const std::string& attribute,
                                     std::size_t fallback);
/// "mb8ic64ih56", width only when it differs.
[[nodiscard]] std::string write_image(const Layer& layer);
/// ",key=word" of the attributes that every kind has.
[[nodiscard]] std::string write_common(const Layer& layer);

[[nodiscard]] double source_elements(const Layer& layer);       ///< mb ic ih iw
[[nodiscard]] double destination_elements(const Layer& layer);  ///< mb oc oh ow

enum class Access { read, write, both };
/// A tensor of `elements` in `type`.
[[nodiscard]] TensorUse tensor(std::string name, double elements, DataType type, Access access);

/// weights, their gradient and the momentum as SGD uses them: v = m v + g; w = w - r v.
[[nodiscard]] std::vector<TensorUse> update_tensors(std::int64_t parameters, DataType type);
/// Two multiply-adds per parameter.
[[nodiscard]] Flops update_flops(std::int64_t parameters);

[[nodiscard]] Shape same_shape(const Layer& layer);           ///< ic ih iw
[[nodiscard]] Shape output_window_shape(const Layer& layer);  ///< oc oh ow
[[nodiscard]] std::int64_t no_parameters(const Layer& layer);

}  // namespace ridge::workload
