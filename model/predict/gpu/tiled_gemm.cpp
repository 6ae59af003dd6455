#include "model/predict/gpu/tiled_gemm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::gpu {
namespace {

constexpr double register_file = 65536;     // 32-bit registers of a multiprocessor
constexpr double kept_share = 0.7;          // of L2 that holds what is still needed
constexpr double registers_a_result = 1.8;  // accumulator, operands and addresses an element

// What cuBLAS' and cuDNN's kernel names show, m x n, with their threads.
constexpr std::array simt_menu{Tile{128, 128, 256}, Tile{128, 64, 128}, Tile{64, 128, 128},
                               Tile{128, 32, 128},  Tile{32, 128, 128}, Tile{64, 64, 64},
                               Tile{64, 32, 64},    Tile{32, 64, 64},   Tile{32, 32, 64}};
constexpr std::array tensor_menu{Tile{256, 128, 256}, Tile{128, 256, 256}, Tile{128, 128, 256},
                                 Tile{128, 64, 128},  Tile{64, 128, 128},  Tile{64, 64, 128},
                                 Tile{128, 32, 128},  Tile{32, 128, 128},  Tile{64, 32, 64},
                                 Tile{32, 64, 64},    Tile{64, 16, 64},    Tile{16, 64, 64}};

double ceil_div(double a, double b) {
    return std::ceil(a / b);
}

struct Grid {
    double rows, cols, blocks, resident;  ///< tiles of C; with batch and split; blocks at once
};

/// Block times of one multiprocessor, in units of a block alone at full rate: whole waves at the
/// occupancy's rate, then a last one with fewer blocks, of which `tail` stays visible.
double block_times(const Grid& grid, double occupancy, const Tile& tile, const Device& d,
                   const Constants& c, const Switches& s) {
    const double lambda = c[Constant::latency];
    const auto share = [&](double blocks) {
        return s.latency ? latency_share(blocks * tile.threads, d.lanes, lambda) : 1.0;
    };
    const double at_full = share(occupancy);
    if (!s.waves) return grid.blocks / d.multiprocessors / at_full;
    const double full = std::floor(grid.blocks / grid.resident);
    const double rest = grid.blocks - full * grid.resident;
    double times = full * occupancy / at_full;
    if (rest > 0) {
        const double ideal = rest / d.multiprocessors / at_full;
        const double most = ceil_div(rest, d.multiprocessors);
        times += ideal + c[Constant::tail] * std::max(0.0, most / share(most) - ideal);
    }
    return times;
}

/// Bytes of A and B from DRAM when L2 keeps what a wave shares: its blocks cover gm x gn tiles, the
/// squarest rectangle; a matrix that L2 cannot hold is read again for each further column (row) of
/// rectangles.
struct OperandBytes {
    double a, b;
};
OperandBytes shared_operands(const Grid& grid, double at_once, double a, double b,
                             const Device& d) {
    double gm = std::min(grid.rows, std::ceil(std::sqrt(at_once)));
    const double gn = std::min(grid.cols, ceil_div(at_once, gm));
    gm = std::min(grid.rows, ceil_div(at_once, gn));
    const double kept = kept_share * d.l2_bytes;
    return {a * (1 + std::max(0.0, grid.cols / gn - 1) * std::min(1.0, a / kept)),
            b * (1 + std::max(0.0, grid.rows / gm - 1) * std::min(1.0, b / kept))};
}

/// An A that lies along K is read in short pieces of many rows, as many as the wave has (blocks
/// start column by column). The blocks are `drift` of K apart, so that L2 must hold that much of
/// each row; what it cannot hold each block reads for itself.
double unshared_share(const GemmProblem& p, const Grid& grid, const Tile& tile, double at_once,
                      const Device& d, const Constants& c) {
    if (!p.a_along_k) return 0;
    constexpr double line = 128;
    const double rows = std::min(grid.rows, at_once) * tile.m;
    const double window = rows * (line + c[Constant::drift] * p.k * p.element_bytes);
    const double kept = kept_share * d.l2_bytes;
    return window > kept ? 1 - kept / window : 0;
}

double traffic_bytes(const GemmProblem& p, const Grid& grid, const Tile& tile, double split,
                     const Device& d, const Constants& c, const Switches& s) {
    double a = p.m * p.k * p.element_bytes, b = p.k * p.n * p.element_bytes;
    const double output = p.m * p.n * p.element_bytes * p.output_factor;
    if (p.operand_bytes >= 0) {
        const double scale = std::min(1.0, p.operand_bytes / ((a + b) * p.batch));
        a *= scale;
        b *= scale;
    }
    OperandBytes operands{a, b};
    if (s.reread) {
        const double at_once = std::max(1.0, grid.resident / p.batch / split);
        operands = shared_operands(grid, at_once, a, b, d);
        if (s.drift) {
            const double unshared = unshared_share(p, grid, tile, at_once, d, c);
            operands.a += unshared * std::max(0.0, a * grid.cols - operands.a);
            operands.b += unshared * std::max(0.0, b * grid.rows - operands.b);
        }
    }
    const double partial = split > 1 ? 8 * split * p.m * p.n : 0;
    return p.batch * (1 - p.from_l2) * (operands.a + operands.b + output + partial);
}

Estimate with_tile(const GemmProblem& p, const Tile& tile, double occupancy, double split,
                   const Device& d, const Constants& c, const Switches& s) {
    Grid grid{};
    grid.rows = s.padding ? ceil_div(p.m, tile.m) : std::max(1.0, p.m / tile.m);
    grid.cols = s.padding ? ceil_div(p.n, tile.n) : std::max(1.0, p.n / tile.n);
    grid.blocks = p.batch * grid.rows * grid.cols * split;
    grid.resident = occupancy * d.multiprocessors;
    const double depth = ceil_div(ceil_div(p.k, p.k_granule), split) * p.k_granule;
    const double edge = static_cast<double>(tile.m) * tile.n / (tile.m + tile.n);
    const double half = c[Constant::tile];
    // 1 for a 128 x 128 tile
    const double tile_share = s.tile_efficiency ? edge / (edge + half) * (64 + half) / 64 : 1;
    Estimate e;
    e.kernel = Kernel::tiled_gemm;
    e.tile_m = tile.m;
    e.tile_n = tile.n;
    e.split = static_cast<std::int32_t>(split);
    e.waves = grid.blocks / grid.resident;
    const double area = static_cast<double>(tile.m) * tile.n;
    e.executed_flops = 2 * area * depth * grid.blocks;
    e.compute_s =
        block_times(grid, occupancy, tile, d, c, s) * 2 * area * (depth + c[Constant::prologue]) /
        (p.peak_flops_per_s / d.multiprocessors * c[Constant::compute] * tile_share * p.rate);
    e.dram_bytes = traffic_bytes(p, grid, tile, split, d, c, s);
    e.dram_s = e.dram_bytes / (c[Constant::bandwidth] * d.bytes_per_s);
    e.l2_s = grid.blocks * (tile.m + tile.n) * depth * p.element_bytes /
             (d.multiprocessors * d.clock_hz * c[Constant::l2]);
    if (s.power) e.power_s = e.executed_flops * c[Constant::energy] / d.power_w;
    e.fixed_s = split > 1 ? c[Constant::split] : 0;
    combine(e);
    return e;
}

}  // namespace

std::span<const Tile> simt_tiles() {
    return simt_menu;
}
std::span<const Tile> tensor_tiles() {
    return tensor_menu;
}

double latency_share(double threads, double lanes, double latency) {
    const double x = threads / (lanes * latency);
    return x / std::cbrt(1 + x * x * x);
}

Estimate tiled_gemm(const GemmProblem& p, std::span<const Tile> tiles, const Device& d,
                    const Constants& c, const Switches& s) {
    Estimate best;
    for (const Tile& tile : tiles) {
        const double occupancy = std::clamp(
            std::floor(register_file / (registers_a_result * tile.m * tile.n)), 1.0, 8.0);
        const double blocks = p.batch * ceil_div(p.m, tile.m) * ceil_div(p.n, tile.n);
        const double most_split = std::max(1.0, std::floor(p.k / (4 * p.k_granule)));
        double last = 0;
        // No split, or as many parts as fill half a wave, one, or two.
        for (const double waves : {0.0, 0.5, 1.0, 2.0}) {
            if (waves > 0 && !p.may_split) break;
            const double split = std::clamp(
                std::floor(waves * occupancy * d.multiprocessors / blocks), 1.0, most_split);
            if (split == last) continue;
            last = split;
            const Estimate e = with_tile(p, tile, occupancy, split, d, c, s);
            if (best.kernel == Kernel::none || e.time_s < best.time_s) best = e;
        }
    }
    return best;
}

}  // namespace ridge::gpu
