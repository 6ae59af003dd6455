#include "model/workload/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace ridge::workload {
namespace {

/// ceil(a/b) for b > 0 and any sign of a.
std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/// Outputs whose input at `tap` elements from the window's start lies in [0, i).
struct Range {
    std::int64_t first = 0, past = 0;
    [[nodiscard]] std::int64_t size() const { return past - first; }
};
Range outputs_inside(const Window& w, std::int64_t tap) {
    const std::int64_t first = std::clamp<std::int64_t>(ceil_div(w.p - tap, w.s), 0, w.o);
    const std::int64_t past = std::clamp<std::int64_t>(ceil_div(w.i + w.p - tap, w.s), 0, w.o);
    return {first, past};
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
    std::int64_t inside = 0;
    for (std::int64_t k = 0; k < w.k; ++k) inside += outputs_inside(w, k * (w.d + 1)).size();
    return inside;
}

std::int64_t used_taps(const Window& w) {
    std::int64_t used = 0;
    for (std::int64_t k = 0; k < w.k; ++k)
        if (outputs_inside(w, k * (w.d + 1)).size() > 0) ++used;
    return used;
}

std::int64_t touched_inputs(const Window& w) {
    // Output a and tap b read position s a + e b - p. Taps that differ by s/gcd(s, e) read the same
    // positions shifted by `shift` outputs, others never meet. So each class of such taps covers
    // s q + e first - p for q in a union of intervals [shift n, shift n + o).
    const std::int64_t e = w.d + 1, common = std::gcd(w.s, e);
    const std::int64_t classes = std::min(w.k, w.s / common), shift = e / common;
    std::int64_t touched = 0;
    for (std::int64_t first = 0; first < classes; ++first) {
        const std::int64_t taps = (w.k - 1 - first) / (w.s / common) + 1;
        const std::int64_t low = std::max<std::int64_t>(0, ceil_div(w.p - first * e, w.s));
        const std::int64_t past = ceil_div(w.i + w.p - first * e, w.s);
        const auto inside = [&](std::int64_t begin, std::int64_t end) {
            return std::max<std::int64_t>(0, std::min(end, past) - std::max(begin, low));
        };
        if (w.o >= shift)  // the intervals join
            touched += inside(0, shift * (taps - 1) + w.o);
        else
            for (std::int64_t n = 0; n < taps; ++n) touched += inside(shift * n, shift * n + w.o);
    }
    return touched;
}

bool stays_on_image(const Window& w) {
    return w.p < w.extent() && w.padding_after() < w.extent() && w.padding_after() > -w.s;
}

bool is_floor_or_same(const Window& w) {
    if (!stays_on_image(w)) return false;
    const std::int64_t span = w.i + 2 * w.p - w.extent();
    const std::int64_t floor_output = span < 0 ? 0 : span / w.s + 1;
    return w.o == floor_output || (w.o == ceil_div(w.i, w.s) && w.padding_after() - w.p <= 1);
}

namespace {

void check_window(const ProblemReader& text, char dimension, Rounding rounding, const Window& w) {
    const auto key = [&](char letter) { return std::string{letter, dimension}; };
    if (rounding == Rounding::beyond && w.o >= 1 && w.o <= largest_extent &&
        w.padding_after() <= largest_extent)
        return;
    if (w.p >= w.extent())
        throw text.wrong(key('p'), fmt::format("less than the kernel's {}", w.extent()),
                         fmt::format("{}", w.p));
    const std::int64_t span = w.i + 2 * w.p - w.extent();
    const std::int64_t floor_output = span < 0 ? 0 : span / w.s + 1;
    if (rounding == Rounding::any ? stays_on_image(w) : is_floor_or_same(w)) return;
    std::string from =
        fmt::format("(i{0} {1}, k{0} {2}, s{0} {3}, p{0} {4}", dimension, w.i, w.k, w.s, w.p);
    if (w.d > 0) from += fmt::format(", d{} {}", dimension, w.d);
    throw text.wrong(key('o'),
                     floor_output > 0 ? fmt::format("{} {})", floor_output, from)
                                      : fmt::format("a kernel that fits the image {})", from),
                     fmt::format("{}", w.o));
}

}  // namespace

ReadWindow read_window(ProblemReader& text, char dimension, Rounding rounding,
                       const ReadWindow* other) {
    const auto key = [&](char letter) { return std::string{letter, dimension}; };
    const auto value = [&](char letter, std::int64_t least) {
        return text.find(key(letter), least);
    };
    const auto i = value('i', 1), o = value('o', 1), k = value('k', 1), s = value('s', 1),
               d = value('d', 0), p = value('p', 0);
    if (!other) {
        if (!i) (void)text.at(key('i'));
        if (!k) (void)text.at(key('k'));
    }
    const Window base = other ? other->window : Window{};
    Window w{i.value_or(base.i), 1, k.value_or(base.k), s.value_or(base.s), d.value_or(base.d), 0};
    std::optional<std::int64_t> padding = p, output = o;
    if (!padding && other && other->padding_given) padding = base.p;
    // The output repeats when all it follows from does.
    const bool repeats = other && w.i == base.i && w.k == base.k && w.s == base.s &&
                         w.d == base.d && (!p || *p == base.p);
    if (!output && repeats) output = base.o;
    if (output) {
        w.o = *output;
        w.p = padding ? *padding
                      : std::max<std::int64_t>(0, ((w.o - 1) * w.s + w.extent() - w.i) / 2);
    } else {
        w.p = padding.value_or(0);
        const std::int64_t span = w.i + 2 * w.p - w.extent();
        if (span < 0)
            throw text.wrong(key('k'),
                             fmt::format("a kernel of at most {} elements", w.i + 2 * w.p),
                             fmt::format("{}", w.extent()));
        w.o = span / w.s + 1;
    }
    check_window(text, dimension, rounding, w);
    return {w, padding.has_value()};
}

void read_windows(ProblemReader& text, Layer& layer, Rounding rounding) {
    const ReadWindow height = read_window(text, 'h', rounding, nullptr);
    const Window h = height.window;
    const Window w = read_window(text, 'w', rounding, &height).window;
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
    d.mb = text.get("mb", default_mb);
    d.ic = text.at("ic");
    d.ih = text.get("ih", 1);
    d.iw = text.get("iw", d.ih);
    d.oc = d.ic, d.oh = d.ih, d.ow = d.iw;
}

std::vector<std::vector<std::int64_t>> read_dimensions(ProblemReader& text, std::string_view form) {
    const std::string& dimensions = text.dimensions();
    const auto wrong = [&] { return text.wrong("dimensions", form, "'" + dimensions + "'"); };
    std::vector<std::vector<std::int64_t>> result(1);
    const char* at = dimensions.data();
    const char* end = at + dimensions.size();
    while (true) {
        std::int64_t size = 0;
        const auto [rest, error] = std::from_chars(at, end, size);
        if (error != std::errc{} || size < 1 || size > largest_dimension) throw wrong();
        result.back().push_back(size);
        if (rest == end) return result;
        if (*rest == ':')
            result.emplace_back();
        else if (*rest != 'x')
            throw wrong();
        at = rest + 1;
    }
}

void set_image(const ProblemReader& text, Layer& layer, const std::vector<std::int64_t>& sizes) {
    if (sizes.size() < 2 || sizes.size() > 4)
        throw text.wrong("sizes", "two to four of them: images, channels, height, width",
                         fmt::format("{}", fmt::join(sizes, "x")));
    Dims& d = layer.dims;
    d.mb = sizes[0];
    d.ic = d.oc = sizes[1];
    d.ih = d.oh = sizes.size() > 3 ? sizes[2] : 1;
    d.iw = d.ow = sizes.size() > 2 ? sizes.back() : 1;
    if (std::max(d.ih, d.iw) > largest_extent)
        throw text.wrong("sizes", fmt::format("height and width of at most {}", largest_extent),
                         fmt::format("{}", fmt::join(sizes, "x")));
}

void read_image_or_dimensions(ProblemReader& text, Layer& layer) {
    if (text.dimensions().empty()) return read_image(text, layer);
    const auto lists = read_dimensions(text, "sizes such as 8x64x56x56");
    if (lists.size() != 1)
        throw text.wrong("sizes", "one list such as 8x64x56x56", "'" + text.dimensions() + "'");
    set_image(text, layer, lists.front());
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

std::string write_extents(const Layer& layer) {
    const Dims& d = layer.dims;
    if (d.ih == 1 && d.iw == 1) return "";
    std::string text = fmt::format("ih{}", d.ih);
    if (d.iw != d.ih) text += fmt::format("iw{}", d.iw);
    return text;
}

std::string write_image(const Layer& layer) {
    const Dims& d = layer.dims;
    return fmt::format("mb{}ic{}{}", d.mb, d.ic, write_extents(layer));
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

Bytes least_traffic(const std::vector<TensorUse>& tensors, double src_share, double wei_share) {
    Bytes total;
    for (const TensorUse& use : tensors) {
        const double times = (use.read ? 1.0 : 0.0) + (use.written ? 1.0 : 0.0);
        const double share = use.name == "src" ? src_share : use.name == "wei" ? wei_share : 1.0;
        total += use.size * times * share;
    }
    return total;
}

Bytes every_element_once(const Layer& layer, Pass pass) {
    return least_traffic(tensors(layer, pass), 1, 1);
}

std::vector<TensorUse> update_tensors(std::int64_t parameters, DataType type) {
    const auto n = static_cast<double>(parameters);
    return {tensor("wei", n, type, Access::both), tensor("diff_wei", n, type, Access::read),
            tensor("momentum", n, type, Access::both)};
}

Flops update_flops(std::int64_t parameters) {
    return Flops(4.0 * static_cast<double>(parameters));
}

Shape image_shape(const Layer& layer, std::size_t) {
    return {layer.dims.ic, layer.dims.ih, layer.dims.iw};
}

Shape output_shape(const Layer& layer) {
    return {layer.dims.oc, layer.dims.oh, layer.dims.ow};
}

std::int64_t no_parameters(const Layer&) {
    return 0;
}

std::size_t one_input(const Layer&) {
    return 1;
}

std::size_t several_inputs(const Layer& layer) {
    return layer.inputs.size();
}

}  // namespace ridge::workload
