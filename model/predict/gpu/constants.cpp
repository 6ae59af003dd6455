#include "model/predict/gpu/constants.hpp"

namespace ridge::gpu {

const std::array<ConstantInfo, constant_count>& constant_table() {
    static constexpr std::array<ConstantInfo, constant_count> table{{
        {"compute", 0.2, 1.25, 0.9, "share of the boost clock's peak"},
        {"bandwidth", 0.3, 1.1, 0.8, "share of the sheet's DRAM bandwidth"},
        {"launch", 1e-7, 6e-5, 5e-6, "s a kernel"},
        {"latency", 0.8, 6, 2.5, "threads a lane to hide latency"},
        {"tile", 1, 120, 12, "elements at half efficiency of a tile"},
        {"prologue", 0.5, 400, 16, "elements of K a block"},
        {"tail", 0.05, 1, 0.7, "share of the last wave's idle time"},
        {"l2", 8, 256, 64, "bytes a cycle and multiprocessor"},
        {"unaligned", 0.2, 1, 0.85, "share of the rate without 16-byte loads"},
        {"energy", 2e-13, 4e-11, 5e-12, "J/FLOP within the board's power"},
        {"split", 3e-7, 3e-5, 3e-6, "s of the reduction behind split K"},
        {"fused", 0.2, 1.4, 0.75, "rate of fused Winograd, relative"},
        {"fused_prologue", 0.5, 200, 12, "channels a block of fused Winograd"},
        {"nonfused", 0.1, 1.4, 0.75, "rate of separate Winograd products, relative"},
        {"transform", 0.1, 2, 0.7, "share of the bandwidth in Winograd transforms"},
        {"direct", 0.005, 1, 0.15, "rate of a direct data gradient, relative"},
        {"strided", 0.2, 1, 0.85, "share of the rate with a stride above 1"},
        {"narrow", 0.05, 1, 0.4, "share of the bandwidth in products of few columns, old"},
        {"drift", 1e-4, 0.5, 0.05, "share of K by which blocks of a wave are apart"},
        {"resident", 0.2, 1.2, 0.9, "share of L2 that holds tensors between calls"},
    }};
    return table;
}

Constants::Constants() {
    for (std::size_t i = 0; i < constant_count; ++i) value[i] = constant_table()[i].start;
}

}  // namespace ridge::gpu
