// The constants of the kernel model: few, named, each with the bounds within which it means what
// its name says. The first three belong to a device, the others to an architecture family and
// kernel class. A calibration file holds them (docs/model.md, "GPU kernels").
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ridge::gpu {

enum class Constant : std::size_t {
    compute,         // share of the boost clock's peak that the best kernel keeps
    bandwidth,       // share of the sheet's DRAM bandwidth
    launch,          // s, of a kernel from its start to the next
    latency,         // resident threads a lane needs to hide latency
    tile,            // elements: half efficiency of a tile's loads, tm tn / (tm + tn)
    prologue,        // elements of K that filling and draining a block costs
    tail,            // share of the last wave's idle time that stays visible
    l2,              // bytes that L2 gives a multiprocessor in a cycle
    unaligned,       // share of the rate without 16-byte loads
    energy,          // J/FLOP that the board's power limit pays for
    split,           // s, of the reduction kernel behind split K
    fused,           // Winograd F(2x2, 3x3) in one kernel: rate relative to the best tile
    fused_prologue,  // channels, as `prologue`
    nonfused,        // Winograd F(4x4, 3x3) in separate kernels: likewise, relative rate
    transform,       // share of the bandwidth that its transforms reach
    direct,          // direct data gradient of few channels: likewise, relative rate
    strided,         // share of the rate where a stride above 1 gathers
    narrow,          // share of the bandwidth in products of few columns before CUDA 9
    drift,           // share of K by which the blocks of a wave are apart
    resident,        // share of L2 that still holds a tensor at the next call
};
inline constexpr std::size_t constant_count = 20;
inline constexpr std::size_t device_constants = 3;

struct ConstantInfo {
    std::string_view name;
    double low, high, start;
    std::string_view meaning;
};
[[nodiscard]] const std::array<ConstantInfo, constant_count>& constant_table();

struct Constants {
    std::array<double, constant_count> value{};
    Constants();  ///< start values
    [[nodiscard]] double operator[](Constant c) const { return value[static_cast<std::size_t>(c)]; }
    double& operator[](Constant c) { return value[static_cast<std::size_t>(c)]; }
    bool operator==(const Constants&) const = default;
};

}  // namespace ridge::gpu
