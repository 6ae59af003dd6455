// What a strided access wastes in whole cache lines.

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/workload/shapes.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

using workload::Window;

/// Input elements that any tap reads, in order.
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

/// The tensor as `planes` equal images of h x w units that lie one behind the other.
struct Planes {
    std::int64_t count = 1, unit_bytes = 1;
};
Planes planes_of(const Layer& layer, Layout layout) {
    const auto element = static_cast<std::int64_t>(size_of(layer.dtype).value());
    const Dims& d = layer.dims;
    switch (layout) {
        case Layout::nchw:
            return {d.mb * d.ic, element};
        case Layout::nhwc:
            return {d.mb, element * d.ic};
        case Layout::nChw16c:
            return {d.mb * ((d.ic + 15) / 16), element * 16};
    }
    throw job_failed("lines of a tensor", "the layout is unknown");
}

}  // namespace

Bytes source_line_bytes(const Layer& layer, Layout layout, Bytes line_size) {
    if (layer.kind != LayerKind::convolution && layer.kind != LayerKind::pooling)
        throw job_failed("lines of a source", "only convolution and pooling have windows");
    const auto line = static_cast<std::int64_t>(line_size.value());
    const Window h = workload::height_window(layer), w = workload::width_window(layer);
    const auto rows = touched_positions(h), columns = touched_positions(w);
    const Planes planes = planes_of(layer, layout);
    const std::int64_t plane_bytes = h.i * w.i * planes.unit_bytes;

    // Lines of `count` planes from a line boundary on, counted where each is entered.
    const auto lines_of = [&](std::int64_t count) {
        std::int64_t lines = 0, last = -1;
        for (std::int64_t plane = 0; plane < count; ++plane)
            for (const std::int64_t y : rows)
                for (const std::int64_t x : columns) {
                    const std::int64_t begin =
                        plane * plane_bytes + (y * w.i + x) * planes.unit_bytes;
                    const std::int64_t first = std::max(begin / line, last + 1);
                    const std::int64_t end = (begin + planes.unit_bytes - 1) / line;
                    lines += std::max<std::int64_t>(0, end - first + 1);
                    last = std::max(last, end);
                }
        return lines;
    };
    // After `period` planes the pattern starts on a boundary again.
    const std::int64_t period = line / std::gcd(plane_bytes, line);
    const std::int64_t whole = planes.count / period, rest = planes.count % period;
    const std::int64_t lines = (whole > 0 ? whole * lines_of(period) : 0) + lines_of(rest);
    return static_cast<double>(lines) * line_size;
}

}  // namespace ridge
