#include "collectors/import/onnx_operators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace ridge::import {

bool OnnxContext::has(std::size_t input) const {
    return !node.input(input).empty();
}

const OnnxTensor& OnnxContext::in(std::size_t input) const {
    if (!has(input)) throw wrong(fmt::format("input number {}", input + 1), "none");
    return graph.tensors.at(node.input(input));
}

const std::vector<std::int64_t>& OnnxContext::values(std::size_t input) const {
    const OnnxTensor& tensor = in(input);
    if (!tensor.integers)
        throw wrong(fmt::format("constant values in '{}'", node.input(input)),
                    "a tensor whose values depend on data");
    return *tensor.integers;
}

std::size_t OnnxContext::axis(std::int64_t value, std::size_t rank) const {
    const auto size = static_cast<std::int64_t>(rank);
    if (value < -size || value >= size)
        throw wrong(fmt::format("an axis of the {} dimensions", rank), fmt::format("{}", value));
    return static_cast<std::size_t>(value < 0 ? value + size : value);
}

Error OnnxContext::wrong(std::string_view expected, std::string_view found) const {
    return bad_input(where, expected, found);
}

namespace {

/// Of groups, heads, padding: keeps products of them with sizes within 64 bits.
constexpr std::int64_t largest_count = 1'000'000;

using Context = OnnxContext;
using Outputs = std::vector<OnnxTensor>;
using Sizes = std::vector<std::int64_t>;

std::string text_of(const Sizes& sizes) {
    return fmt::format("{}", fmt::join(sizes, "x"));
}

OnnxTensor tensor_like(const OnnxTensor& like, OnnxShape shape) {
    OnnxTensor result;
    result.type = like.type;
    result.shape = std::move(shape);
    return result;
}

/// Sizes stay far below where products of two of them would not fit.
std::int64_t product(const Sizes& sizes, std::size_t begin, std::size_t end) {
    double result = 1;
    for (std::size_t i = begin; i < end; ++i) result *= static_cast<double>(sizes[i]);
    return result > 9e15 ? std::int64_t{9'000'000'000'000'000} : static_cast<std::int64_t>(result);
}

OnnxShape broadcast(const Context& c, const OnnxShape& a, const OnnxShape& b) {
    OnnxShape result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            throw c.wrong("shapes that broadcast", text_of(a) + " and " + text_of(b));
        result[result.size() - 1 - i] = x == 1 ? y : x;
    }
    return result;
}

Outputs same(const Context& c) {
    return {tensor_like(c.in(0), c.in(0).shape)};
}

/// The output of training normalizations, then statistics of the channels.
Outputs batch_normalization(const Context& c) {
    Outputs result = same(c);
    const OnnxShape channels{c.in(0).shape.size() > 1 ? c.in(0).shape[1] : 1};
    for (std::size_t i = 1; i < c.node.outputs.size(); ++i)
        result.push_back(tensor_like(c.in(0), channels));
    return result;
}

/// The output, then mean and deviation with the normalized dimensions of size 1.
Outputs layer_normalization(const Context& c) {
    Outputs result = same(c);
    OnnxShape reduced = c.in(0).shape;
    for (std::size_t i = c.axis(c.node.integer("axis", -1), reduced.size()); i < reduced.size();
         ++i)
        reduced[i] = 1;
    for (std::size_t i = 1; i < c.node.outputs.size(); ++i)
        result.push_back(tensor_like(c.in(0), reduced));
    return result;
}

Outputs same_all(const Context& c) {
    return Outputs(std::max<std::size_t>(1, c.node.outputs.size()),
                   tensor_like(c.in(0), c.in(0).shape));
}

Outputs broadcast_all(const Context& c) {
    OnnxShape shape = c.in(0).shape;
    for (std::size_t i = 1; i < c.node.inputs.size(); ++i)
        if (c.has(i)) shape = broadcast(c, shape, c.in(i).shape);
    return {tensor_like(c.in(0), shape)};
}

/// condition ? a : b has the type of a.
Outputs where(const Context& c) {
    Outputs result = broadcast_all(c);
    result[0].type = c.in(1).type;
    return result;
}

OnnxShape windowed(const Context& c, const OnnxShape& image, std::int64_t channels,
                   const OnnxWindows& w) {
    OnnxShape shape{image[0], channels};
    for (std::size_t i = 0; i < w.kernel.size(); ++i) {
        const std::int64_t extent = (w.kernel[i] - 1) * w.dilations[i] + 1;
        const std::int64_t span = image[i + 2] + w.before[i] + w.after[i] - extent;
        if (span < 0)
            throw c.wrong(fmt::format("a kernel that fits the image of {}", image[i + 2]),
                          fmt::format("{}", extent));
        std::int64_t out = (w.ceil ? span + w.strides[i] - 1 : span) / w.strides[i] + 1;
        // A window that begins in the padding behind the image is not there.
        if (w.ceil && (out - 1) * w.strides[i] >= image[i + 2] + w.before[i]) --out;
        shape.push_back(out);
    }
    return shape;
}

void require_image(const Context& c) {
    if (c.in(0).shape.size() < 3)
        throw c.wrong("images: at least three dimensions", text_of(c.in(0).shape));
}

Outputs convolution(const Context& c) {
    require_image(c);
    const OnnxShape &image = c.in(0).shape, &weights = c.in(1).shape;
    const std::int64_t groups = c.node.integer("group", 1);
    if (groups < 1 || groups > largest_count || weights.size() != image.size() ||
        weights[1] * groups != image[1] || weights[0] % groups != 0)
        throw c.wrong(fmt::format("weights for {} channels in {} groups", image[1], groups),
                      text_of(weights));
    const OnnxWindows w = windows_of(c, {weights.begin() + 2, weights.end()});
    return {tensor_like(c.in(0), windowed(c, image, weights[0], w))};
}

Outputs transposed_convolution(const Context& c) {
    require_image(c);
    const OnnxShape &image = c.in(0).shape, &weights = c.in(1).shape;
    if (weights.size() != image.size() || weights[0] != image[1])
        throw c.wrong(fmt::format("weights for {} channels", image[1]), text_of(weights));
    const OnnxWindows w = windows_of(c, {weights.begin() + 2, weights.end()});
    const std::int64_t groups = c.node.integer("group", 1);
    if (groups < 1 || groups > largest_count) throw c.wrong("groups", fmt::format("{}", groups));
    OnnxShape shape{image[0], weights[1] * groups};
    const auto given = c.node.list("output_shape");
    const auto extra = c.node.list("output_padding");
    for (std::size_t i = 0; i < w.kernel.size(); ++i) {
        if (given && given->size() == w.kernel.size()) {
            shape.push_back((*given)[i]);
            continue;
        }
        const std::int64_t more = extra && i < extra->size() ? (*extra)[i] : 0;
        if (more < 0 || more > largest_count)
            throw c.wrong("an output padding", fmt::format("{}", more));
        shape.push_back(w.strides[i] * (image[i + 2] - 1) + more +
                        (w.kernel[i] - 1) * w.dilations[i] + 1 - w.before[i] - w.after[i]);
    }
    return {tensor_like(c.in(0), shape)};
}

Outputs pooling(const Context& c) {
    require_image(c);
    const auto kernel = c.node.list("kernel_shape");
    if (!kernel || kernel->size() + 2 != c.in(0).shape.size())
        throw c.wrong("kernel_shape with one entry per spatial dimension", "another");
    const OnnxShape shape = windowed(c, c.in(0).shape, c.in(0).shape[1], windows_of(c, *kernel));
    return Outputs(std::max<std::size_t>(1, c.node.outputs.size()), tensor_like(c.in(0), shape));
}

Outputs global_pooling(const Context& c) {
    require_image(c);
    OnnxShape shape(c.in(0).shape.size(), 1);
    shape[0] = c.in(0).shape[0], shape[1] = c.in(0).shape[1];
    return {tensor_like(c.in(0), shape)};
}

Outputs gemm(const Context& c) {
    OnnxShape a = c.in(0).shape, b = c.in(1).shape;
    if (a.size() != 2 || b.size() != 2) throw c.wrong("two matrices", text_of(a));
    if (c.node.integer("transA", 0) != 0) std::swap(a[0], a[1]);
    if (c.node.integer("transB", 0) != 0) std::swap(b[0], b[1]);
    if (a[1] != b[0]) throw c.wrong("matrices that fit", text_of(a) + " and " + text_of(b));
    return {tensor_like(c.in(0), {a[0], b[1]})};
}

Outputs matmul(const Context& c) {
    OnnxShape a = c.in(0).shape, b = c.in(1).shape;
    if (a.empty() || b.empty()) throw c.wrong("vectors or matrices", "a scalar");
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    if (a.back() != b[b.size() - 2])
        throw c.wrong("matrices that fit", text_of(a) + " and " + text_of(b));
    OnnxShape shape = broadcast(c, {a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!row) shape.push_back(a[a.size() - 2]);
    if (!column) shape.push_back(b.back());
    return {tensor_like(c.in(0), shape)};
}

Outputs reshape(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    const Sizes wanted = c.has(1) ? c.values(1) : c.node.list("shape").value_or(Sizes{});
    const bool zero_is_zero = c.node.integer("allowzero", 0) != 0;
    OnnxShape shape;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        std::int64_t size = wanted[i];
        if (size == 0 && !zero_is_zero) {
            if (i >= from.size()) throw c.wrong("a dimension to copy", "none");
            size = from[i];
        }
        if (size == -1 && !open) open = i, size = 1;
        if (size < 0) throw c.wrong("sizes with one -1 at most", text_of(wanted));
        shape.push_back(size);
    }
    const std::int64_t all = product(from, 0, from.size()), rest = product(shape, 0, shape.size());
    if (open && rest > 0) shape[*open] = all / rest;
    if (product(shape, 0, shape.size()) != all)
        throw c.wrong(fmt::format("a shape of {} elements", all), text_of(wanted));
    return {tensor_like(c.in(0), shape)};
}

Outputs flatten(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    std::int64_t axis = c.node.integer("axis", 1);
    if (axis < 0) axis += static_cast<std::int64_t>(from.size());
    if (axis < 0 || axis > static_cast<std::int64_t>(from.size()))
        throw c.wrong("an axis of the tensor", fmt::format("{}", axis));
    const auto at = static_cast<std::size_t>(axis);
    return {tensor_like(c.in(0), {product(from, 0, at), product(from, at, from.size())})};
}

Outputs transpose(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    Sizes order = c.node.list("perm").value_or(Sizes{});
    if (order.empty()) {
        order.resize(from.size());
        std::iota(order.rbegin(), order.rend(), 0);
    }
    if (order.size() != from.size()) throw c.wrong("perm for each dimension", text_of(order));
    OnnxShape shape;
    for (const std::int64_t axis : order) shape.push_back(from[c.axis(axis, from.size())]);
    return {tensor_like(c.in(0), shape)};
}

/// Axes as attribute or, in later opsets, as an input.
std::optional<Sizes> axes_of(const Context& c, std::size_t input) {
    if (c.has(input)) return c.values(input);
    return c.node.list("axes");
}

Outputs squeeze(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    std::vector<bool> gone(from.size(), false);
    if (const auto axes = axes_of(c, 1))
        for (const std::int64_t axis : *axes) gone[c.axis(axis, from.size())] = true;
    else
        for (std::size_t i = 0; i < from.size(); ++i) gone[i] = from[i] == 1;
    OnnxShape shape;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (gone[i] && from[i] != 1)
            throw c.wrong("size 1 in a squeezed dimension", fmt::format("{}", from[i]));
        if (!gone[i]) shape.push_back(from[i]);
    }
    return {tensor_like(c.in(0), shape)};
}

Outputs unsqueeze(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    const Sizes axes = axes_of(c, 1).value_or(Sizes{});
    const std::size_t rank = from.size() + axes.size();
    std::vector<bool> added(rank, false);
    for (const std::int64_t axis : axes) added[c.axis(axis, rank)] = true;
    if (static_cast<std::size_t>(std::count(added.begin(), added.end(), true)) != axes.size())
        throw c.wrong("each axis once", text_of(axes));
    OnnxShape shape;
    auto next = from.begin();
    for (std::size_t i = 0; i < rank; ++i) shape.push_back(added[i] ? 1 : *next++);
    return {tensor_like(c.in(0), shape)};
}

Outputs concat(const Context& c) {
    OnnxShape shape = c.in(0).shape;
    const std::size_t axis = c.axis(c.node.integer("axis", 1), shape.size());
    for (std::size_t n = 1; n < c.node.inputs.size(); ++n) {
        OnnxShape next = c.in(n).shape;
        if (next.size() != shape.size()) throw c.wrong("inputs of one rank", text_of(next));
        shape[axis] += next[axis];
        next[axis] = shape[axis];
        if (next != shape) throw c.wrong("inputs that differ in one dimension", text_of(next));
    }
    return {tensor_like(c.in(0), shape)};
}

Outputs split(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    const std::size_t axis = c.axis(c.node.integer("axis", 0), from.size());
    const std::size_t count = c.node.outputs.size();
    Sizes parts;
    if (c.has(1))
        parts = c.values(1);
    else
        parts = c.node.list("split").value_or(Sizes{});
    if (parts.empty() && count > 0) {  // num_outputs of opset 18, or equal parts before
        const auto outputs = static_cast<std::int64_t>(count);
        const std::int64_t each = (from[axis] + outputs - 1) / outputs;
        for (std::int64_t left = from[axis], i = 0; i < outputs; ++i, left -= each)
            parts.push_back(std::max<std::int64_t>(0, std::min(each, left)));
    }
    for (const std::int64_t part : parts)
        if (part < 0 || part > from[axis]) throw c.wrong("parts of the dimension", text_of(parts));
    if (parts.size() != count ||
        std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != from[axis])
        throw c.wrong(fmt::format("{} parts of {}", count, from[axis]), text_of(parts));
    Outputs result;
    for (const std::int64_t part : parts) {
        OnnxShape shape = from;
        shape[axis] = part;
        result.push_back(tensor_like(c.in(0), shape));
    }
    return result;
}

/// Elements that a slice of one dimension keeps.
std::int64_t sliced(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
    const auto within = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
        return std::clamp(at < 0 ? std::max(at, -size) + size : at, low, high);
    };
    if (step > 0) {
        const std::int64_t first = within(start, 0, size);
        const std::int64_t past = end < -size ? 0 : within(end, 0, size);
        return past <= first ? 0 : (past - first - 1) / step + 1;
    }
    const std::int64_t first = start < -size ? -1 : within(start, -1, size - 1);
    const std::int64_t past = end < -size ? -1 : within(end, -1, size - 1);
    return first <= past ? 0 : (first - past - 1) / -step + 1;
}

struct Slices {
    Sizes starts, ends, axes, steps;
};
Slices slices_of(const Context& c) {
    Slices s;
    s.starts = c.has(1) ? c.values(1) : c.node.list("starts").value_or(Sizes{});
    s.ends = c.has(2) ? c.values(2) : c.node.list("ends").value_or(Sizes{});
    s.axes = axes_of(c, 3).value_or(Sizes{});
    if (s.axes.empty()) {
        s.axes.resize(s.starts.size());
        std::iota(s.axes.begin(), s.axes.end(), 0);
    }
    s.steps = c.has(4) ? c.values(4) : Sizes(s.starts.size(), 1);
    const bool equal = s.ends.size() == s.starts.size() && s.axes.size() == s.starts.size() &&
                       s.steps.size() == s.starts.size();
    if (!equal || std::any_of(s.steps.begin(), s.steps.end(), [](std::int64_t step) {
            return step == 0 || step == std::numeric_limits<std::int64_t>::min();
        }))
        throw c.wrong("starts, ends, axes and steps of one length", "others");
    return s;
}

Outputs slice(const Context& c) {
    OnnxShape shape = c.in(0).shape;
    const Slices s = slices_of(c);
    for (std::size_t i = 0; i < s.starts.size(); ++i) {
        const std::size_t axis = c.axis(s.axes[i], shape.size());
        shape[axis] = sliced(shape[axis], s.starts[i], s.ends[i], s.steps[i]);
    }
    return {tensor_like(c.in(0), shape)};
}

Outputs gather(const Context& c) {
    const OnnxShape& from = c.in(0).shape;
    const std::size_t axis = c.axis(c.node.integer("axis", 0), from.size());
    OnnxShape shape(from.begin(), from.begin() + static_cast<long>(axis));
    shape.insert(shape.end(), c.in(1).shape.begin(), c.in(1).shape.end());
    shape.insert(shape.end(), from.begin() + static_cast<long>(axis) + 1, from.end());
    return {tensor_like(c.in(0), shape)};
}

Outputs expand(const Context& c) {
    return {tensor_like(c.in(0), broadcast(c, c.in(0).shape, c.values(1)))};
}

Outputs tile(const Context& c) {
    OnnxShape shape = c.in(0).shape;
    const Sizes& times = c.values(1);
    if (times.size() != shape.size()) throw c.wrong("repeats for each dimension", text_of(times));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (times[i] < 0 || times[i] > 1'000'000'000)
            throw c.wrong("repeats from 0 to 1000000000", text_of(times));
        shape[i] *= times[i];
    }
    return {tensor_like(c.in(0), shape)};
}

Outputs pad(const Context& c) {
    OnnxShape shape = c.in(0).shape;
    const Sizes pads = c.has(1) ? c.values(1) : c.node.list("pads").value_or(Sizes{});
    std::vector<std::size_t> axes;
    if (c.has(3)) {
        for (const std::int64_t axis : c.values(3)) axes.push_back(c.axis(axis, shape.size()));
    } else {
        axes.resize(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (pads.size() != 2 * axes.size()) throw c.wrong("two pads for each dimension", text_of(pads));
    for (const std::int64_t size : pads)
        if (size < -1'000'000'000 || size > 1'000'000'000) throw c.wrong("pads", text_of(pads));
    for (std::size_t i = 0; i < axes.size(); ++i) shape[axes[i]] += pads[i] + pads[axes.size() + i];
    return {tensor_like(c.in(0), shape)};
}

OnnxShape reduced(const Context& c, const Sizes& axes, bool keep) {
    const OnnxShape& from = c.in(0).shape;
    std::vector<bool> gone(from.size(), axes.empty());
    for (const std::int64_t axis : axes) gone[c.axis(axis, from.size())] = true;
    OnnxShape shape;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!gone[i])
            shape.push_back(from[i]);
        else if (keep)
            shape.push_back(1);
    return shape;
}

Outputs reduce(const Context& c) {
    const Sizes axes = axes_of(c, 1).value_or(Sizes{});
    const bool nothing = axes.empty() && c.node.integer("noop_with_empty_axes", 0) != 0;
    if (nothing) return same(c);
    return {tensor_like(c.in(0), reduced(c, axes, c.node.integer("keepdims", 1) != 0))};
}

Outputs arg_extreme(const Context& c) {
    OnnxTensor result;
    result.shape = reduced(c, {c.node.integer("axis", 0)}, c.node.integer("keepdims", 1) != 0);
    return {result};
}

Outputs shape_operator(const Context& c) {
    const auto rank = static_cast<std::int64_t>(c.in(0).shape.size());
    const auto clamp = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = clamp(std::max(c.node.integer("start", 0), -rank));
    const std::int64_t end = clamp(std::max(c.node.integer("end", rank), -rank));
    OnnxTensor result;
    result.shape = {std::max<std::int64_t>(0, end - start)};
    result.integers =
        Sizes(c.in(0).shape.begin() + start, c.in(0).shape.begin() + std::max(start, end));
    return {result};
}

Outputs size_operator(const Context& c) {
    OnnxTensor result;
    result.integers = Sizes{product(c.in(0).shape, 0, c.in(0).shape.size())};
    return {result};
}

Outputs constant(const Context& c) {
    const auto found = c.node.tensors.find("value");
    if (found != c.node.tensors.end()) return {found->second};
    OnnxTensor result;
    if (const auto ints = c.node.list("value_ints")) {
        result.shape = {static_cast<std::int64_t>(ints->size())};
        result.integers = *ints;
    } else if (const auto value = c.node.list("value_int")) {
        result.integers = *value;
    } else if (c.node.numbers.contains("value_float")) {
        result.numbers = std::vector{c.node.number("value_float", 0)};
    }
    return {result};
}

Outputs constant_of_shape(const Context& c) {
    OnnxTensor result;
    result.shape = c.values(0);
    const auto value = c.node.tensors.find("value");
    const double elements = result.elements();
    if (value != c.node.tensors.end() && value->second.integers &&
        !value->second.integers->empty() && elements >= 0 && elements <= 1000)
        result.integers =
            Sizes(static_cast<std::size_t>(elements), value->second.integers->front());
    return {result};
}

/// Opset 23: query, key, value of three dimensions with q_num_heads and kv_num_heads, or of four.
Outputs attention(const Context& c) {
    const OnnxShape &query = c.in(0).shape, &key = c.in(1).shape, &value = c.in(2).shape;
    const bool heads_apart = query.size() == 4;
    if ((!heads_apart && query.size() != 3) || value.size() != query.size() ||
        key.size() != query.size())
        throw c.wrong("query, key and value of three or four dimensions", text_of(query));
    OnnxShape shape = query;
    if (heads_apart) {
        shape[3] = value[3];
    } else {
        const std::int64_t heads = c.node.integer("q_num_heads", 1),
                           value_heads = c.node.integer("kv_num_heads", 1);
        if (heads < 1 || value_heads < 1 || heads > largest_count)
            throw c.wrong("heads", fmt::format("{} and {}", heads, value_heads));
        shape[2] = value[2] / value_heads * heads;
    }
    return Outputs(std::max<std::size_t>(1, c.node.outputs.size()), tensor_like(c.in(0), shape));
}

/// The loss is one number per row with reduction "none", else one number; then the logarithms.
Outputs loss(const Context& c) {
    OnnxTensor result = tensor_like(c.in(0), {});
    if (c.node.word("reduction", "mean") == "none") result.shape = c.in(1).shape;
    return {result, tensor_like(c.in(0), c.in(0).shape)};
}

constexpr std::array same_shape{"Abs",
                                "Acos",
                                "Acosh",
                                "Asin",
                                "Asinh",
                                "Atan",
                                "Atanh",
                                "Celu",
                                "Ceil",
                                "Clip",
                                "Cos",
                                "Cosh",
                                "CumSum",
                                "Elu",
                                "Erf",
                                "Exp",
                                "Floor",
                                "Gelu",
                                "HardSigmoid",
                                "HardSwish",
                                "Hardmax",
                                "Identity",
                                "InstanceNormalization",
                                "IsInf",
                                "IsNaN",
                                "LRN",
                                "LeakyRelu",
                                "Log",
                                "LogSoftmax",
                                "LpNormalization",
                                "MeanVarianceNormalization",
                                "Mish",
                                "Neg",
                                "Not",
                                "PRelu",
                                "Reciprocal",
                                "Relu",
                                "RotaryEmbedding",
                                "Round",
                                "Selu",
                                "Shrink",
                                "Sigmoid",
                                "Sign",
                                "Sin",
                                "Sinh",
                                "Softmax",
                                "Softplus",
                                "Softsign",
                                "Sqrt",
                                "Swish",
                                "Tan",
                                "Tanh",
                                "ThresholdedRelu",
                                "Trilu",
                                "Cast",
                                "GroupNormalization",
                                "RMSNormalization"};

constexpr std::array broadcasting{
    "Add",  "And",         "BitShift", "Div",  "Equal", "Greater", "GreaterOrEqual",
    "Less", "LessOrEqual", "Max",      "Mean", "Min",   "Mod",     "Mul",
    "Or",   "Pow",         "Sub",      "Sum",  "Xor"};

constexpr std::array reductions{"ReduceL1",  "ReduceL2",       "ReduceLogSum", "ReduceLogSumExp",
                                "ReduceMax", "ReduceMean",     "ReduceMin",    "ReduceProd",
                                "ReduceSum", "ReduceSumSquare"};

std::vector<OnnxOperator> make_table() {
    std::vector<OnnxOperator> table{
        {"ArgMax", arg_extreme},
        {"ArgMin", arg_extreme},
        {"Attention", attention},
        {"AveragePool", pooling},
        {"BatchNormalization", batch_normalization},
        {"Concat", concat},
        {"Constant", constant},
        {"ConstantOfShape", constant_of_shape},
        {"Conv", convolution},
        {"ConvTranspose", transposed_convolution},
        {"Dropout", same_all},
        {"Expand", expand},
        {"Flatten", flatten},
        {"Gather", gather},
        {"Gemm", gemm},
        {"GlobalAveragePool", global_pooling},
        {"GlobalMaxPool", global_pooling},
        {"LayerNormalization", layer_normalization},
        {"LpPool", pooling},
        {"MatMul", matmul},
        {"MaxPool", pooling},
        {"Pad", pad},
        {"Reshape", reshape},
        {"Shape", shape_operator},
        {"Size", size_operator},
        {"Slice", slice},
        {"SoftmaxCrossEntropyLoss", loss},
        {"Split", split},
        {"Squeeze", squeeze},
        {"Tile", tile},
        {"Transpose", transpose},
        {"Unsqueeze", unsqueeze},
        {"Where", where},
    };
    for (const char* op : same_shape) table.push_back({op, same});
    for (const char* op : broadcasting) table.push_back({op, broadcast_all});
    for (const char* op : reductions) table.push_back({op, reduce});
    return table;
}

/// Integer arithmetic on shapes; nothing when it would not be defined.
std::optional<std::int64_t> arithmetic(std::string_view op, std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (a < -most || a > most || b < -most || b > most) return std::nullopt;
    if (op == "Add") return a + b;
    if (op == "Sub") return a - b;
    if (op == "Mul") return a * b;
    if (op == "Max") return std::max(a, b);
    if (op == "Min") return std::min(a, b);
    if (op == "Div" && b != 0) return a / b;
    if (op == "Mod" && b != 0) return a % b;
    return std::nullopt;
}

std::optional<Sizes> folded_arithmetic(const Context& c) {
    const Sizes &a = *c.in(0).integers, &b = *c.in(1).integers;
    const std::size_t count = std::max(a.size(), b.size());
    if (a.empty() || b.empty() || (a.size() != count && a.size() != 1) ||
        (b.size() != count && b.size() != 1))
        return std::nullopt;
    Sizes result;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value =
            arithmetic(c.node.op, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
        if (!value) return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

std::optional<Sizes> folded_gather(const Context& c) {
    const Sizes &from = *c.in(0).integers, &at = c.values(1);
    if (c.in(0).shape.size() != 1) return std::nullopt;
    Sizes result;
    for (const std::int64_t index : at) result.push_back(from[c.axis(index, from.size())]);
    return result;
}

std::optional<Sizes> folded_slice(const Context& c) {
    const Sizes& from = *c.in(0).integers;
    const Slices s = slices_of(c);
    if (c.in(0).shape.size() != 1 || s.starts.size() != 1 || s.steps[0] != 1) return std::nullopt;
    const auto size = static_cast<std::int64_t>(from.size());
    const std::int64_t start = std::clamp<std::int64_t>(
        s.starts[0] < 0 ? std::max(s.starts[0], -size) + size : s.starts[0], 0, size);
    const std::int64_t count = sliced(size, s.starts[0], s.ends[0], 1);
    return Sizes(from.begin() + start, from.begin() + start + count);
}

std::optional<Sizes> folded(const Context& c) {
    const std::string& op = c.node.op;
    if (op == "Concat") {
        Sizes result;
        for (std::size_t i = 0; i < c.node.inputs.size(); ++i) {
            const auto& part = c.in(i);
            if (!part.integers || part.shape.size() > 1) return std::nullopt;
            result.insert(result.end(), part.integers->begin(), part.integers->end());
        }
        return result;
    }
    if (!c.has(0) || !c.in(0).integers) return std::nullopt;
    if (op == "Cast" || op == "Identity" || op == "Squeeze" || op == "Unsqueeze" || op == "Reshape")
        return c.in(0).integers;
    if (op == "Gather" && c.has(1) && c.in(1).integers) return folded_gather(c);
    if (op == "Slice") return folded_slice(c);
    if (c.node.inputs.size() == 2 && c.has(1) && c.in(1).integers) return folded_arithmetic(c);
    return std::nullopt;
}

}  // namespace

const OnnxOperator* find_operator(const OnnxNode& node) {
    static const std::vector<OnnxOperator> table = make_table();
    if (!node.domain.empty() && node.domain != "ai.onnx") return nullptr;
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const OnnxOperator& known) { return known.op == node.op; });
    return found == table.end() ? nullptr : &*found;
}

void fold_constants(const OnnxContext& context, std::vector<OnnxTensor>& outputs) {
    if (outputs.size() != 1 || outputs[0].integers) return;
    auto values = folded(context);
    // Shapes are short; longer lists are data.
    constexpr std::size_t most_values = 4096;
    if (values && values->size() <= most_values &&
        static_cast<double>(values->size()) == outputs[0].elements())
        outputs[0].integers = std::move(values);
}

OnnxWindows windows_of(const OnnxContext& c, const OnnxShape& kernel) {
    const std::size_t rank = kernel.size();
    const auto list = [&](const char* name, std::int64_t fallback, std::size_t length,
                          std::int64_t least) {
        auto values = c.node.list(name).value_or(Sizes{});
        if (values.empty()) values.assign(length, fallback);
        constexpr std::int64_t most = 1'000'000;
        const bool fits = values.size() == length &&
                          std::all_of(values.begin(), values.end(), [&](std::int64_t value) {
                              return value >= least && value <= most;
                          });
        if (!fits)
            throw c.wrong(fmt::format("{} with {} sizes from {}", name, length, least),
                          text_of(values));
        return values;
    };
    OnnxWindows w;
    w.kernel = kernel;
    for (const std::int64_t size : kernel)
        if (size < 1 || size > 1'000'000) throw c.wrong("a kernel", text_of(kernel));
    w.strides = list("strides", 1, rank, 1);
    w.dilations = list("dilations", 1, rank, 1);
    const Sizes pads = list("pads", 0, 2 * rank, 0);
    w.before.assign(pads.begin(), pads.begin() + static_cast<long>(rank));
    w.after.assign(pads.begin() + static_cast<long>(rank), pads.end());
    w.ceil = c.node.integer("ceil_mode", 0) != 0;
    const std::string automatic = c.node.word("auto_pad", "NOTSET");
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") return w;
    for (std::size_t i = 0; i < rank && i + 2 < c.in(0).shape.size(); ++i) {
        const std::int64_t size = c.in(0).shape[i + 2];
        const std::int64_t out = (size + w.strides[i] - 1) / w.strides[i];
        const std::int64_t all = std::max<std::int64_t>(
            0, (out - 1) * w.strides[i] + (kernel[i] - 1) * w.dilations[i] + 1 - size);
        w.before[i] = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
        w.after[i] = all - w.before[i];
    }
    return w;
}

}  // namespace ridge::import
