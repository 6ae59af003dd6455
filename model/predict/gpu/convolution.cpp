#include "model/predict/gpu/convolution.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/predict/gpu/tiled_gemm.hpp"

namespace ridge::gpu {
namespace {

double ceil_div(double a, double b) {
    return std::ceil(a / b);
}

// Implicit GEMM kernels put 128 pixels in a tile, as their names show; those for weights have
// smaller ones too.
constexpr std::array pixel_menu{Tile{128, 128, 256}, Tile{128, 64, 128}, Tile{128, 32, 128}};
constexpr std::array simt_menu{Tile{128, 128, 256}, Tile{128, 64, 128}, Tile{128, 32, 128},
                               Tile{64, 64, 64},    Tile{64, 32, 64},   Tile{32, 32, 64}};
constexpr std::array tensor_menu{Tile{256, 128, 256}, Tile{128, 256, 256}, Tile{256, 64, 256},
                                 Tile{128, 128, 256}, Tile{128, 64, 128},  Tile{64, 64, 128},
                                 Tile{128, 32, 128},  Tile{64, 32, 64}};

/// A pass in the sizes of its own convolution: mb images of `in` channels over h x w become `out`
/// channels over oh x ow.
struct View {
    double mb, in, out, groups, h, w, oh, ow, kh, kw, sh, sw;
    double taps() const { return kh * kw; }
};

View view_of(const Dims& d) {
    const auto f = [](std::int64_t x) { return static_cast<double>(x); };
    return {f(d.mb), f(d.ic / d.g), f(d.oc / d.g), f(d.g),  f(d.ih), f(d.iw),
            f(d.oh), f(d.ow),       f(d.kh),       f(d.kw), f(d.sh), f(d.sw)};
}

class Pricing {
public:
    Pricing(const Work& work, const Device& device, const Constants& constants,
            const Switches& switches)
        : work_(work), v_(view_of(work.dims)), d_(device), c_(constants), s_(switches) {
        peak_ = peak_of(work, device);
        // Tensor kernels of the library accumulate in f32 and store the type.
        element_ = size_of(work.dtype).value();
        tensor_ = peak_ > d_.f32_flops_per_s * 1.01;
        if (switches.residency) from_l2_ = resident_share(work, device, constants);
    }

    Estimate fastest() const {
        Estimate best = implicit_gemm();
        const auto offer = [&](const Estimate& e) {
            if (e.kernel != Kernel::none && e.time_s < best.time_s) best = e;
        };
        if (s_.winograd) {
            offer(fused_winograd());
            offer(nonfused_winograd());
        }
        if (s_.direct) offer(direct_data_gradient());
        return best;
    }

private:
    [[nodiscard]] bool strided() const { return v_.sh > 1 || v_.sw > 1; }

    Estimate implicit_gemm() const {
        GemmProblem p;
        p.batch = v_.groups;
        const double src = v_.mb * v_.in * v_.h * v_.w, dst = v_.mb * v_.out * v_.oh * v_.ow;
        const double filter = v_.in * v_.out * v_.taps();
        switch (work_.pass) {
            case Pass::backward_data:
                // With a stride the image falls into sh x sw phases, each a convolution with its
                // share of the taps. Tensor kernels run each on its own; in the others a tile of
                // pixels spans the phases of its row, so that only rows without a tap are saved.
                p.m = v_.mb * v_.h * v_.w * std::min(1.0, v_.kh / v_.sh);
                p.n = v_.in;
                p.k = v_.out * std::max(1.0, v_.kh / v_.sh) * v_.kw;
                if (tensor_) {
                    p.m *= std::min(1.0, v_.kw / v_.sw);
                    p.k = v_.out * ceil_div(v_.kh, v_.sh) * ceil_div(v_.kw, v_.sw);
                }
                p.operand_bytes = (dst + filter) * element_;
                break;
            case Pass::backward_weights:
                p.m = v_.in * v_.taps();
                p.n = v_.out;
                p.k = v_.mb * v_.oh * v_.ow;
                p.operand_bytes = (src + dst) * element_;
                break;
            default:
                p.m = v_.mb * v_.oh * v_.ow;
                p.n = v_.out;
                p.k = v_.in * v_.taps();
                p.operand_bytes = (src + filter) * element_;
        }
        p.operand_bytes *= v_.groups;
        p.element_bytes = element_;
        p.from_l2 = from_l2_;
        p.peak_flops_per_s = peak_;
        p.k_granule = tensor_ ? 32 : 8;
        p.may_split = work_.pass == Pass::backward_weights;
        if (strided()) p.rate *= c_[Constant::strided];
        if (s_.alignment && tensor_ && (std::fmod(v_.in, 8) != 0 || std::fmod(v_.out, 8) != 0))
            p.rate *= c_[Constant::unaligned];
        if (tensor_) return tiled_gemm(p, tensor_menu, d_, c_, s_);
        if (work_.pass != Pass::backward_weights && !d_.amd)
            return tiled_gemm(p, pixel_menu, d_, c_, s_);
        return tiled_gemm(p, simt_menu, d_, c_, s_);
    }

    /// Both Winograd families exist for dense f32 (and f16 with f32 arithmetic), stride 1.
    [[nodiscard]] bool winograd_possible(double first_version) const {
        const double version = work_.stack.cudnn;
        if (!d_.amd && version > 0 && version < first_version) return false;
        return !tensor_ && !strided() && v_.groups == 1 && work_.dims.dh == 0 &&
               work_.dims.dw == 0 && v_.kh == v_.kw;
    }

    Estimate fused_winograd() const {
        if (!winograd_possible(5.0) || v_.kh != 3 || work_.pass == Pass::backward_weights)
            return {};
        const bool data = work_.pass == Pass::backward_data;
        const double in = data ? v_.out : v_.in, out = data ? v_.in : v_.out;
        const double oh = data ? v_.h : v_.oh, ow = data ? v_.w : v_.ow;
        const bool one_variant = d_.family != "pascal" && d_.family != "maxwell";
        const double blocks = fused_winograd_blocks(v_.mb, out, oh, ow, one_variant);
        const double channels = ceil_div(in, 8) * 8;
        constexpr double products = 2.0 * 16 * 32 * 32;  // FLOP of a block and channel
        constexpr double patch = 32 * 16;                // elements of a block's input, a channel
        constexpr double occupancy = 2, threads = 256;
        const auto share = [&](double r) {
            return s_.latency ? latency_share(r * threads, d_.lanes, c_[Constant::latency]) : 1.0;
        };
        const double resident = occupancy * d_.multiprocessors;
        const double full = std::floor(blocks / resident), rest = blocks - full * resident;
        double times = full * occupancy / share(occupancy);
        const double ideal = rest / d_.multiprocessors / share(occupancy);
        const double most = ceil_div(rest, d_.multiprocessors);
        times += ideal;
        if (rest > 0) times += c_[Constant::tail] * std::max(0.0, most / share(most) - ideal);
        if (!s_.waves) times = blocks / d_.multiprocessors / share(occupancy);
        Estimate e;
        e.kernel = Kernel::fused_winograd;
        e.waves = blocks / resident;
        e.executed_flops = products * channels * blocks;
        e.compute_s = times * products * (channels + c_[Constant::fused_prologue]) /
                      (peak_ / d_.multiprocessors * c_[Constant::compute] * c_[Constant::fused]);
        const double filter = in * out * 9;
        e.dram_bytes =
            (1 - from_l2_) * element_ * v_.mb * (v_.in * v_.h * v_.w + v_.out * v_.oh * v_.ow);
        e.dram_s = e.dram_bytes / (c_[Constant::bandwidth] * d_.bytes_per_s);
        e.l2_s = blocks * (patch + 512) * channels * element_ /
                 (d_.multiprocessors * d_.clock_hz * c_[Constant::l2]);
        if (s_.power) e.power_s = e.executed_flops * c_[Constant::energy] / d_.power_w;
        // The filter's transform is a kernel of its own: 9 values in, 16 out.
        e.fixed_s = 25.0 / 9 * filter * element_ / (c_[Constant::transform] * d_.bytes_per_s) +
                    c_[Constant::launch];
        combine(e);
        return e;
    }

    /// Transform, batched product and inverse transform, through memory (or L2).
    Estimate nonfused_winograd() const {
        const bool large = v_.kh == 5;
        if (!winograd_possible(5.1) || (v_.kh != 3 && !large)) return {};
        if (d_.amd) return {};
        const double points = large ? 81 : 36, out_tile = large ? 5 : 4;
        const double tiles = v_.mb * ceil_div(v_.oh, out_tile) * ceil_div(v_.ow, out_tile);
        GemmProblem p;
        p.batch = points;
        switch (work_.pass) {
            case Pass::backward_data:
                p.m = tiles;
                p.n = v_.in;
                p.k = v_.out;
                break;
            case Pass::backward_weights:
                p.m = v_.out;
                p.n = v_.in;
                p.k = tiles;
                break;
            default:
                p.m = tiles;
                p.n = v_.out;
                p.k = v_.in;
        }
        p.element_bytes = 4;
        p.peak_flops_per_s = peak_ * c_[Constant::nonfused];
        p.may_split = false;
        Estimate e = tiled_gemm(p, simt_tiles(), d_, c_, s_);
        e.kernel = Kernel::nonfused_winograd;
        const double images = v_.mb * (v_.in * v_.h * v_.w + v_.out * v_.oh * v_.ow);
        const double transformed = points * tiles * (v_.in + v_.out);
        const double in_l2 = transformed * 4 < 0.7 * d_.l2_bytes ? 0.5 : 1;
        const double filters = (points + v_.taps()) * v_.in * v_.out;
        const double bytes = images * element_ + 4 * (transformed * in_l2 + filters);
        e.dram_bytes += bytes;
        e.fixed_s += bytes / (c_[Constant::transform] * d_.bytes_per_s) + 3 * c_[Constant::launch];
        combine(e);
        return e;
    }

    /// An output channel or three would fill a fraction of any tile: a kernel without tiles.
    Estimate direct_data_gradient() const {
        if (work_.pass != Pass::backward_data || v_.in > 8) return {};
        Estimate e;
        e.kernel = Kernel::direct;
        e.executed_flops = 2 * v_.mb * v_.in * v_.out * v_.oh * v_.ow * v_.taps();
        e.compute_s =
            e.executed_flops / (c_[Constant::compute] * c_[Constant::direct] * d_.f32_flops_per_s);
        e.dram_bytes =
            (1 - from_l2_) * element_ * v_.mb * (v_.in * v_.h * v_.w + v_.out * v_.oh * v_.ow);
        e.dram_s = e.dram_bytes / (c_[Constant::bandwidth] * d_.bytes_per_s);
        combine(e);
        return e;
    }

    const Work& work_;
    View v_;
    const Device& d_;
    const Constants& c_;
    const Switches& s_;
    double peak_ = 0, element_ = 4, from_l2_ = 0;
    bool tensor_ = false;
};

}  // namespace

double peak_of(const Work& work, const Device& device) {
    const double f32 = device.f32_flops_per_s;
    if (!work.tensor_units) return f32;
    const double tensor = work.dtype == DataType::tf32 ? device.tensor_tf32_flops_per_s
                                                       : device.tensor_f16_flops_per_s;
    return tensor > 0 ? tensor : f32;
}

double resident_share(const Work& work, const Device& device, const Constants& constants) {
    if (work.most_copies < 1) return 0;
    const double all = work_bytes(work).value();
    double footprint = all;
    if (work.most_copies > 1 && work.kind == WorkKind::gemm) {
        const double weights =
            static_cast<double>(work.m) * static_cast<double>(work.k) * size_of(work.dtype).value();
        const double copies = std::clamp(ceil_div(device.l2_bytes, weights), 1.0,
                                         static_cast<double>(work.most_copies));
        footprint += (copies - 1) * weights;
    }
    // Tensors in turn displace each other as soon as they do not fit: within a tenth of the size.
    constexpr double edge = 0.1;
    const double held = constants[Constant::resident];
    return std::clamp(1 + (held - footprint / device.l2_bytes) / (edge * held), 0.0, 1.0);
}

double fused_winograd_blocks(double mb, double oc, double oh, double ow, bool one_variant) {
    // Images, rows and columns of 2 x 2 tiles in a block; 32 tiles in all.
    constexpr std::array<std::array<double, 3>, 7> variants{
        {{1, 4, 8}, {1, 8, 4}, {2, 4, 4}, {2, 2, 8}, {4, 4, 2}, {4, 2, 4}, {4, 1, 8}}};
    const double rows = std::ceil(oh / 2), cols = std::ceil(ow / 2);
    double fewest = 0;
    for (const auto& [images, high, wide] : variants) {
        const double blocks = ceil_div(mb, images) * ceil_div(rows, high) * ceil_div(cols, wide);
        if (fewest == 0 || blocks < fewest) fewest = blocks;
        if (one_variant) break;
    }
    return fewest * ceil_div(oc, 32);
}

Estimate convolution(const Work& work, const Device& device, const Constants& constants,
                     const Switches& switches) {
    if (work.pass != Pass::backward) return Pricing(work, device, constants, switches).fastest();
    Work data = work, weights = work;
    data.pass = Pass::backward_data;
    weights.pass = Pass::backward_weights;
    Estimate sum = Pricing(data, device, constants, switches).fastest();
    const Estimate other = Pricing(weights, device, constants, switches).fastest();
    sum.time_s += other.time_s + constants[Constant::launch];
    sum.compute_s += other.compute_s;
    sum.dram_s += other.dram_s;
    sum.l2_s += other.l2_s;
    sum.power_s += other.power_s;
    sum.fixed_s += other.fixed_s + constants[Constant::launch];
    sum.dram_bytes += other.dram_bytes;
    sum.executed_flops += other.executed_flops;
    return sum;
}

}  // namespace ridge::gpu
