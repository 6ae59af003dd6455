#include "collectors/tracer/tiles.hpp"

#include <algorithm>

namespace ridge::tracer {

bool Tiles::configure(std::span<const std::uint8_t, config_bytes> config) {
    constexpr std::size_t bytes_at = 16, rows_at = 48;
    constexpr int most_rows = 16, most_bytes = 64;
    shape = {};
    configured = config[0] == 1;
    if (!configured) return config[0] == 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const int bytes = config[bytes_at + 2 * i] | config[bytes_at + 2 * i + 1] << 8;
        shape[i] = {config[rows_at + i], bytes};
    }
    return std::all_of(shape.begin(), shape.end(), [](const TileShape& s) {
        return s.rows <= most_rows && s.bytes <= most_bytes;
    });
}

std::int64_t product_groups(TileShape c, TileShape a) {
    constexpr std::int64_t element_bytes = 4;
    return std::int64_t{c.rows} * (c.bytes / element_bytes) * (a.bytes / element_bytes);
}

}  // namespace ridge::tracer
