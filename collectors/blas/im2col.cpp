#include "collectors/blas/im2col.hpp"

#include <algorithm>
#include <cstring>

namespace ridge::blas {
namespace {

/// One tap along one row of the output: output x reads input x sw + offset.
struct TapRow {
    Range inside;         ///< output positions whose input lies in the image
    std::int64_t offset;  ///< of the input
};

TapRow tap_row(const Dims& d, std::int64_t kx, Range outputs) {
    const std::int64_t offset = kx * (d.dw + 1) - d.pw;
    // 0 <= x sw + offset < iw
    const std::int64_t first = offset >= 0 ? 0 : (-offset + d.sw - 1) / d.sw;
    const std::int64_t last = d.iw - offset <= 0 ? 0 : (d.iw - offset + d.sw - 1) / d.sw;
    const std::int64_t begin = std::clamp(first, outputs.begin, outputs.end);
    return {{begin, std::clamp(last, begin, outputs.end)}, offset};
}

void copy_row(const Dims& d, const float* line, const TapRow& tap, Range outputs, float* to) {
    std::fill(to, to + (tap.inside.begin - outputs.begin), 0.0F);
    float* inside = to + (tap.inside.begin - outputs.begin);
    const std::int64_t count = tap.inside.size();
    const float* from = line + tap.inside.begin * d.sw + tap.offset;
    if (count > 0 && d.sw == 1)
        std::memcpy(inside, from, static_cast<std::size_t>(count) * sizeof(float));
    else
        for (std::int64_t i = 0; i < count; ++i) inside[i] = from[i * d.sw];
    std::fill(inside + count, to + outputs.size(), 0.0F);
}

/// Calls f(oy, outputs of that row, offset of the first of them from the first position).
template <class F>
void for_output_rows(const Dims& d, Range positions, F f) {
    for (std::int64_t p = positions.begin; p < positions.end;) {
        const std::int64_t oy = p / d.ow, x = p % d.ow;
        const Range outputs{x, std::min(d.ow, x + positions.end - p)};
        f(oy, outputs, p - positions.begin);
        p += outputs.size();
    }
}

}  // namespace

Range part(std::int64_t size, std::int64_t i, std::int64_t n) {
    return {size * i / n, size * (i + 1) / n};
}

void im2col(const Dims& d, const float* image, Range rows, Range positions, float* columns) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r, columns += positions.size()) {
        const std::int64_t kx = r % d.kw, ky = r / d.kw % d.kh, channel = r / (d.kw * d.kh);
        for_output_rows(d, positions, [&](std::int64_t oy, Range outputs, std::int64_t at) {
            const std::int64_t iy = oy * d.sh - d.ph + ky * (d.dh + 1);
            float* to = columns + at;
            if (iy < 0 || iy >= d.ih) {
                std::fill(to, to + outputs.size(), 0.0F);
                return;
            }
            copy_row(d, image + (channel * d.ih + iy) * d.iw, tap_row(d, kx, outputs), outputs, to);
        });
    }
}

void col2im(const Dims& d, const float* columns, Range channels, float* image) {
    const std::int64_t plane = d.ih * d.iw, positions = d.oh * d.ow;
    std::fill(image + channels.begin * plane, image + channels.end * plane, 0.0F);
    for (std::int64_t c = channels.begin; c < channels.end; ++c)
        for (std::int64_t ky = 0; ky < d.kh; ++ky)
            for (std::int64_t kx = 0; kx < d.kw; ++kx, columns += positions)
                for (std::int64_t oy = 0; oy < d.oh; ++oy) {
                    const std::int64_t iy = oy * d.sh - d.ph + ky * (d.dh + 1);
                    if (iy < 0 || iy >= d.ih) continue;
                    const TapRow tap = tap_row(d, kx, {0, d.ow});
                    float* line = image + c * plane + iy * d.iw;
                    const float* from = columns + oy * d.ow;
                    for (std::int64_t x = tap.inside.begin; x < tap.inside.end; ++x)
                        line[x * d.sw + tap.offset] += from[x];
                }
}

}  // namespace ridge::blas
