// Matrix registers (AMX): eight tiles of up to 16 rows of up to 64 bytes. ldtilecfg gives them
// their shapes, and everything else follows from these.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ridge::tracer {

struct TileShape {
    int rows = 0, bytes = 0;  ///< of each row
};

struct Tiles {
    static constexpr int config_bytes = 64;
    std::array<TileShape, 8> shape{};
    bool configured = false;

    /// Takes what ldtilecfg reads: byte 0 the palette (0: all is released), from byte 16 on the
    /// bytes per row as 16-bit numbers, from byte 48 on the rows. False for a palette other than 1,
    /// or shapes that it does not have.
    bool configure(std::span<const std::uint8_t, config_bytes> config);
};

/// Elements times products: tile c of m rows and n 32-bit columns takes, for each of its elements,
/// as many groups of products (two of 16 bits, four of 8 bits) as a row of `a` has 32-bit columns.
[[nodiscard]] std::int64_t product_groups(TileShape c, TileShape a);

}  // namespace ridge::tracer
