#include "model/predict/gpu/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/predict/gpu/convolution.hpp"
#include "model/predict/gpu/tiled_gemm.hpp"

namespace ridge::gpu {
namespace {

/// Leading dimensions that 16-byte loads need: of A and B as the transposes lay them out.
bool aligned(const Work& w) {
    const std::int64_t granule = static_cast<std::int64_t>(16 / size_of(w.dtype).value());
    const std::int64_t a = w.transpose_a ? w.k : w.m, b = w.transpose_b ? w.n : w.k;
    return a % granule == 0 && b % granule == 0;
}

/// The one tile that the batched call uses on an architecture, by the kernel names that it runs.
std::span<const Tile> batched_tiles(const Device& d) {
    static constexpr std::array ampere{Tile{128, 128, 256}};
    static constexpr std::array pascal{Tile{128, 64, 128}};
    static constexpr std::array volta{Tile{64, 64, 64}, Tile{32, 128, 128}, Tile{128, 32, 128},
                                      Tile{128, 64, 128}};
    if (d.family == "pascal" || d.family == "maxwell") return pascal;
    if (d.family == "volta" || d.family == "turing") return volta;
    return ampere;
}

/// Kernels of the Maxwell generation that recent libraries still ship: large tiles only where
/// whole tiles of columns are asked for, and not on GP100 (64 lanes a multiprocessor).
std::span<const Tile> old_tiles() {
    static constexpr std::array tiles{Tile{64, 64, 64}, Tile{32, 128, 128}, Tile{128, 32, 128}};
    return tiles;
}
std::span<const Tile> old_whole_tiles() {
    static constexpr std::array tiles{Tile{128, 128, 256}, Tile{128, 64, 128}};
    return tiles;
}

/// Before CUDA 9 cuBLAS had no tiles for products of few columns; what ran instead reads A at a
/// fraction of the bandwidth.
bool narrow_product(const Work& w, const Device& d) {
    const double cuda = w.stack.cuda;
    if (d.amd || cuda <= 0 || cuda >= 9 || w.batch > 1) return false;
    return w.n <= (cuda < 8 ? 32 : 16);
}

Estimate narrow(const Work& w, const Device& d, const Constants& c) {
    Estimate e;
    e.kernel = Kernel::streaming;
    e.dram_bytes = work_bytes(w).value();
    e.dram_s = e.dram_bytes / (c[Constant::narrow] * c[Constant::bandwidth] * d.bytes_per_s);
    combine(e);
    return e;
}

Estimate gemm(const Work& w, const Device& d, const Constants& c, const Switches& s) {
    GemmProblem p;
    p.batch = static_cast<double>(w.batch);
    p.m = static_cast<double>(w.m);
    p.n = static_cast<double>(w.n);
    p.k = static_cast<double>(w.k);
    p.element_bytes = size_of(w.dtype).value();
    p.peak_flops_per_s = peak_of(w, d);
    p.output_factor = w.accumulate ? 2 : 1;
    const bool tensor = p.peak_flops_per_s > d.f32_flops_per_s * 1.01;
    if (s.residency) p.from_l2 = resident_share(w, d, c);
    p.k_granule = tensor ? 32 : 8;
    const bool slow_loads = s.alignment && !aligned(w);
    if (slow_loads) p.rate = c[Constant::unaligned];
    if (tensor) return tiled_gemm(p, tensor_tiles(), d, c, s);
    if (s.narrow && narrow_product(w, d)) return narrow(w, d, c);
    if (w.batch > 1 && s.batched_rule) {
        p.may_split = false;
        return tiled_gemm(p, batched_tiles(d), d, c, s);
    }
    p.a_along_k = w.transpose_a;
    if (s.alignment && d.family == "pascal" && w.stack.cuda >= 11) {
        const bool whole = w.n % 64 == 0 && d.lanes > 64;
        if (!whole) return tiled_gemm(p, old_tiles(), d, c, s);
        p.a_along_k = false;  // these transpose A first
        return tiled_gemm(p, old_whole_tiles(), d, c, s);
    }
    return tiled_gemm(p, simt_tiles(), d, c, s);
}

/// A fully connected layer's two gradients.
Estimate both_gradients(const Work& w, const Device& d, const Constants& c, const Switches& s) {
    Work data = w, weights = w;
    data.pass = weights.pass = Pass::forward;
    data.m = w.k;
    data.k = w.m;
    data.transpose_a = false;
    weights.m = w.k;
    weights.n = w.m;
    weights.k = w.n;
    weights.transpose_a = false;
    weights.transpose_b = true;
    Estimate sum = gemm(data, d, c, s);
    const Estimate other = gemm(weights, d, c, s);
    sum.time_s += other.time_s + c[Constant::launch];
    sum.compute_s += other.compute_s;
    sum.dram_s += other.dram_s;
    sum.l2_s += other.l2_s;
    sum.power_s += other.power_s;
    sum.fixed_s += other.fixed_s + c[Constant::launch];
    sum.dram_bytes += other.dram_bytes;
    sum.executed_flops += other.executed_flops;
    return sum;
}

/// Kernels that stream: bytes over the bandwidth, and arithmetic where functions are costly.
/// Small grids do not fill the device: a block of 1024 elements a multiprocessor at least.
Estimate streaming(double elements, double bytes, double flops, double from_l2, const Device& d,
                   const Constants& c) {
    Estimate e;
    e.kernel = Kernel::streaming;
    e.dram_bytes = bytes * (1 - from_l2);
    e.executed_flops = flops;
    e.dram_s = e.dram_bytes / (c[Constant::bandwidth] * d.bytes_per_s);
    e.l2_s = bytes / (d.multiprocessors * d.clock_hz * c[Constant::l2]);
    const double resident = d.multiprocessors * d.lanes * c[Constant::latency];
    const double share = std::min(1.0, std::max(elements, 1.0) / resident);
    e.compute_s = flops / (c[Constant::compute] * d.f32_flops_per_s * share);
    combine(e);
    return e;
}

/// Softmax and layer normalization: a block or warp per row; rows of few elements leave lanes idle
/// and rows beyond a block's registers are read again.
Estimate row_wise(const Work& w, double from_l2, const Device& d, const Constants& c) {
    const double rows = static_cast<double>(w.rows), cols = static_cast<double>(w.cols);
    const double size = size_of(w.dtype).value();
    const double warp_cols = std::ceil(cols / 32) * 32;
    // What a row's reduction costs, in elements of its own: `prologue`.
    const double elements = rows * (warp_cols + c[Constant::prologue]);
    // A second pass over the row finds it in L2 when all rows in flight fit there.
    const double in_flight = d.multiprocessors * 4 * cols * size;
    const double again = cols > 1024 ? std::min(1.0, in_flight / d.l2_bytes) : 0;
    const double passes = 2 + again * (w.kind == WorkKind::layer_norm ? 1 : 1);
    Estimate e = streaming(elements, rows * cols * size * passes, 5 * elements, from_l2, d, c);
    e.l2_s = elements * 3 * size / (d.multiprocessors * d.clock_hz * c[Constant::l2]);
    combine(e);
    return e;
}

Estimate recurrent(const Work& w, const Device& d, const Constants& c, const Switches& s) {
    Work step = w;
    step.kind = WorkKind::gemm;
    step.pass = Pass::forward;
    step.batch = 1;
    const std::int64_t gates = w.gates;
    step.m = w.pass == Pass::backward_data ? w.hidden : gates * w.hidden;
    step.k = w.pass == Pass::backward_data ? gates * w.hidden : w.hidden;
    step.n = w.batch;
    double calls = static_cast<double>(w.timesteps);
    if (w.pass == Pass::backward_weights) {
        // The gradient of the weights is one product over all steps.
        step.m = gates * w.hidden;
        step.n = w.hidden;
        step.k = w.batch * w.timesteps;
        calls = 1;
    }
    Estimate e = gemm(step, d, c, s);
    e.time_s += c[Constant::launch];
    e.fixed_s += c[Constant::launch];
    for (double* part : {&e.time_s, &e.compute_s, &e.dram_s, &e.l2_s, &e.power_s, &e.fixed_s,
                         &e.dram_bytes, &e.executed_flops})
        *part *= calls;
    return e;
}

}  // namespace

Estimate estimate(const Work& w, const Device& d, const Constants& c, const Switches& s) {
    Estimate e;
    const double from_l2 = s.residency ? resident_share(w, d, c) : 0;
    switch (w.kind) {
        case WorkKind::gemm:
            e = w.pass == Pass::backward ? both_gradients(w, d, c, s) : gemm(w, d, c, s);
            break;
        case WorkKind::convolution:
            e = convolution(w, d, c, s);
            break;
        case WorkKind::recurrent:
            return recurrent(w, d, c, s);
        case WorkKind::softmax:
        case WorkKind::layer_norm:
            e = row_wise(w, from_l2, d, c);
            break;
        case WorkKind::elementwise:
        case WorkKind::batch_norm:
        case WorkKind::pooling: {
            const double elements = work_bytes(w).value() / size_of(w.dtype).value() / 2;
            e = streaming(elements, work_bytes(w).value(), work_flops(w).value(), from_l2, d, c);
            break;
        }
    }
    e.time_s += c[Constant::launch];
    e.fixed_s += c[Constant::launch];
    return e;
}

}  // namespace ridge::gpu
