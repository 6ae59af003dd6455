#include "model/workload/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace ridge::workload {
namespace {

std::vector<std::int64_t> touched_positions(const Window& w) {
    std::vector<bool> touched(static_cast<std::size_t>(w.i), false);
    for (std::int64_t o = 0; o < w.o; ++o)
        // Dense windows overlap: the taps that the window before covered are known.
        for (std::int64_t k = o > 0 && w.d == 0 ? std::max<std::int64_t>(0, w.k - w.s) : 0; k < w.k;
             ++k) {
            const std::int64_t at = o * w.s - w.p + k * (w.d + 1);
            if (at >= w.i) break;
            if (at >= 0) touched[static_cast<std::size_t>(at)] = true;
        }
    std::vector<std::int64_t> positions;
    for (std::int64_t i = 0; i < w.i; ++i)
        if (touched[static_cast<std::size_t>(i)]) positions.push_back(i);
    return positions;
}

}  // namespace

Window height_window(const Layer& layer) {
    const Dims& d = layer.dims;
    return {d.ih, d.oh, d.kh, d.sh, d.dh, d.ph};
}

Window width_window(const Layer& layer) {
    const Dims& d = layer.dims;
    return {d.iw, d.ow, d.kw, d.sw, d.dw, d.pw};
}

std::int64_t taps_inside(const Window& w) {
    // For each tap the outputs whose input lies in [0, i): ceil((p - t)/s) <= o < ceil((i+p-t)/s).
    const auto ceil_div = [](std::int64_t a, std::int64_t b) {
        return a >= 0 ? (a + b - 1) / b : -(-a / b);
    };
    std::int64_t inside = 0;
    for (std::int64_t k = 0; k < w.k; ++k) {
        const std::int64_t tap = k * (w.d + 1);
        const std::int64_t first = std::clamp<std::int64_t>(ceil_div(w.p - tap, w.s), 0, w.o);
        const std::int64_t past = std::clamp<std::int64_t>(ceil_div(w.i + w.p - tap, w.s), 0, w.o);
        inside += past - first;
    }
    return inside;
}

std::int64_t touched_inputs(const Window& w) {
    return static_cast<std::int64_t>(touched_positions(w).size());
}

double touched_lines_share(const Layer& layer, Layout layout) {
    constexpr std::int64_t line_bytes = 64;
    const Window h = height_window(layer), w = width_window(layer);
    const auto element = static_cast<std::int64_t>(size_of(layer.dtype).value());
    // Lines of one row of the image (nchw) or of one pixel (nhwc), as bytes of a contiguous run.
    const std::int64_t run = layout == Layout::nchw ? element : element * layer.dims.ic;
    std::set<std::int64_t> touched;
    const auto columns = touched_positions(w), rows = touched_positions(h);
    for (const std::int64_t y : rows)
        for (const std::int64_t x : columns) {
            const std::int64_t first = (y * w.i + x) * run;
            for (std::int64_t line = first / line_bytes; line <= (first + run - 1) / line_bytes;
                 ++line)
                touched.insert(line);
        }
    const std::int64_t lines = (h.i * w.i * run + line_bytes - 1) / line_bytes;
    return static_cast<double>(touched.size()) / static_cast<double>(lines);
}

Window read_window(ProblemReader& text, char dimension, const Window* other) {
    const auto key = [&](char letter) { return std::string{letter, dimension}; };
    const auto value = [&](char letter, std::int64_t least) {
        return text.find(key(letter), least);
    };
    Window w;
    const auto i = value('i', 1), o = value('o', 1), k = value('k', 1), s = value('s', 1),
               d = value('d', 0), p = value('p', 0);
    // A dimension that is not mentioned repeats the other one whole.
    if (other && !i && !o && !k && !s && !d && !p) return *other;
    if (!i && !other) throw text.wrong(key('i'), "the key, as in " + key('i') + "56", "none");
    w.i = i.value_or(other ? other->i : 1);
    w.k = k.value_or(other ? other->k : 1);
    w.s = s.value_or(other ? other->s : 1);
    w.d = d.value_or(other ? other->d : 0);
    const bool same_input = other && w.i == other->i && w.k == other->k;
    if (o)
        w.o = *o;
    else if (same_input && !p)
        w.o = other->o;
    else {
        const std::int64_t padding = p.value_or(0);
        const std::int64_t span = w.i + 2 * padding - w.extent();
        if (span < 0)
            throw text.wrong(key('k'),
                             fmt::format("a kernel of at most {} elements", w.i + 2 * padding),
                             fmt::format("{}", w.extent()));
        w.p = padding;
        w.o = span / w.s + 1;
        return w;
    }
    // benchdnn: half of what the windows reach beyond the image.
    w.p = p ? *p : std::max<std::int64_t>(0, ((w.o - 1) * w.s + w.extent() - w.i) / 2);

    if (w.p >= w.extent())
        throw text.wrong(key('p'), fmt::format("less than the kernel's {}", w.extent()),
                         fmt::format("{}", w.p));
    if (w.padding_after() >= w.extent())
        throw text.wrong(key('o'),
                         fmt::format("windows that touch the image ({} from {}{} {}{} {}{})",
                                     key('o'), key('i'), w.i, key('k'), w.k, key('s'), w.s),
                         fmt::format("{}", w.o));
    if (w.padding_after() <= -w.s)
        throw text.wrong(key('o'), fmt::format("{}", (w.i + 2 * w.p - w.extent()) / w.s + 1),
                         fmt::format("{}", w.o));
    return w;
}

void read_windows(ProblemReader& text, Layer& layer) {
    const Window h = read_window(text, 'h', nullptr);
    const Window w = read_window(text, 'w', &h);
    Dims& d = layer.dims;
    d.ih = h.i, d.oh = h.o, d.kh = h.k, d.sh = h.s, d.dh = h.d, d.ph = h.p;
    d.iw = w.i, d.ow = w.o, d.kw = w.k, d.sw = w.s, d.dw = w.d, d.pw = w.p;
}

std::string write_windows(const Layer& layer) {
    const auto one = [](char dimension, const Window& w) {
        std::string text = fmt::format("i{0}{1}o{0}{2}k{0}{3}", dimension, w.i, w.o, w.k);
        if (w.s != 1) text += fmt::format("s{}{}", dimension, w.s);
        if (w.d != 0) text += fmt::format("d{}{}", dimension, w.d);
        return text + fmt::format("p{}{}", dimension, w.p);
    };
    const Window h = height_window(layer), w = width_window(layer);
    std::string text = one('h', h);
    const bool same =
        h.i == w.i && h.o == w.o && h.k == w.k && h.s == w.s && h.d == w.d && h.p == w.p;
    if (same) return text;
    text += one('w', w);
    // What one() leaves out means the default there, but a repetition of the height here.
    if (w.s == 1 && h.s != 1) text += "sw1";
    if (w.d == 0 && h.d != 0) text += "dw0";
    return text;
}

void read_image(ProblemReader& text, Layer& layer) {
    Dims& d = layer.dims;
    d.mb = text.get("mb", 1);
    d.ic = text.at("ic");
    d.ih = text.get("ih", 1);
    d.iw = text.get("iw", d.ih);
    d.oc = d.ic, d.oh = d.ih, d.ow = d.iw;
}

std::vector<std::vector<std::int64_t>> read_dimensions(const ProblemReader& text,
                                                       std::string_view form) {
    const std::string& dimensions = text.dimensions();
    const auto wrong = [&] { return text.wrong("dimensions", form, "'" + dimensions + "'"); };
    std::vector<std::vector<std::int64_t>> result(1);
    const char* at = dimensions.data();
    const char* end = at + dimensions.size();
    while (true) {
        std::int64_t size = 0;
        const auto [rest, error] = std::from_chars(at, end, size);
        if (error != std::errc{} || size < 1 || size > 1'000'000'000) throw wrong();
        result.back().push_back(size);
        if (rest == end) return result;
        if (*rest == ':')
            result.emplace_back();
        else if (*rest != 'x')
            throw wrong();
        at = rest + 1;
    }
}

void read_image_or_dimensions(ProblemReader& text, Layer& layer) {
    if (text.dimensions().empty()) return read_image(text, layer);
    const auto sizes = read_dimensions(text, "sizes such as 8x64x56x56");
    if (sizes.size() != 1 || sizes[0].size() > 4)
        throw text.wrong("dimensions", "at most four sizes", "'" + text.dimensions() + "'");
    std::vector<std::int64_t> four = sizes[0];
    four.resize(4, 1);
    Dims& d = layer.dims;
    d.mb = four[0], d.ic = four[1], d.ih = four[2], d.iw = four[3];
    d.oc = d.ic, d.oh = d.ih, d.ow = d.iw;
}

std::size_t read_count(ProblemReader& text, const std::string& attribute, std::size_t fallback) {
    const auto word = text.attribute(attribute);
    if (!word) return fallback;
    std::size_t count = 0;
    const char* end = word->data() + word->size();
    const auto [rest, error] = std::from_chars(word->data(), end, count);
    if (error != std::errc{} || rest != end || count < 2 || count > 1024)
        throw text.wrong(attribute, "a count from 2 to 1024", "'" + *word + "'");
    return count;
}

std::string write_image(const Layer& layer) {
    const Dims& d = layer.dims;
    std::string text = fmt::format("mb{}ic{}ih{}", d.mb, d.ic, d.ih);
    if (d.iw != d.ih) text += fmt::format("iw{}", d.iw);
    return text;
}

std::string write_common(const Layer& layer) {
    return layer.dtype == DataType::f32 ? "" : fmt::format(",dtype={}", to_string(layer.dtype));
}

double source_elements(const Layer& layer) {
    const Dims& d = layer.dims;
    return static_cast<double>(d.mb) * static_cast<double>(d.ic) * static_cast<double>(d.ih) *
           static_cast<double>(d.iw);
}

double destination_elements(const Layer& layer) {
    const Dims& d = layer.dims;
    return static_cast<double>(d.mb) * static_cast<double>(d.oc) * static_cast<double>(d.oh) *
           static_cast<double>(d.ow);
}

TensorUse tensor(std::string name, double elements, DataType type, Access access) {
    return {std::move(name), static_cast<std::int64_t>(elements), elements * size_of(type),
            access != Access::write, access != Access::read};
}

std::vector<TensorUse> update_tensors(std::int64_t parameters, DataType type) {
    const auto n = static_cast<double>(parameters);
    return {tensor("wei", n, type, Access::both), tensor("diff_wei", n, type, Access::read),
            tensor("momentum", n, DataType::f32, Access::both)};
}

Flops update_flops(std::int64_t parameters) {
    return Flops(4.0 * static_cast<double>(parameters));
}

Shape same_shape(const Layer& layer) {
    return {layer.dims.ic, layer.dims.ih, layer.dims.iw};
}

Shape output_window_shape(const Layer& layer) {
    return {layer.dims.oc, layer.dims.oh, layer.dims.ow};
}

std::int64_t no_parameters(const Layer&) {
    return 0;
}

}  // namespace ridge::workload
