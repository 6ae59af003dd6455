#include "model/cachesim/region_map.hpp"

namespace ridge::cachesim {

RegionMap::RegionMap(const std::vector<Region>& regions, int line_bytes) {
    const auto bytes = static_cast<std::uint64_t>(line_bytes);
    for (std::size_t i = 0; i < regions.size(); ++i)
        if (regions[i].bytes > 0)
            spans_.push_back({regions[i].address / bytes,
                              (regions[i].address + regions[i].bytes - 1) / bytes, i});
        else
            spans_.push_back({~std::uint64_t{0}, 0, i});
    std::stable_sort(spans_.begin(), spans_.end(),
                     [](const Span& a, const Span& b) { return a.first < b.first; });
}

}  // namespace ridge::cachesim
