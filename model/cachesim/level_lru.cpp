// Levels with lru replacement. The widths that caches commonly have are fixed at compile time.
#include "model/cachesim/cache_level.hpp"
#include "model/cachesim/policy_lru.hpp"

namespace ridge::cachesim {

std::unique_ptr<Cache> make_lru_level(const LevelSetup& setup) {
    if (setup.spec.sector_bytes > 0) return std::make_unique<CacheLevel<Lru<0>, 0, true>>(setup);
    switch (setup.spec.ways) {
        case 4:
            return std::make_unique<CacheLevel<Lru<4>, 4, false>>(setup);
        case 8:
            return std::make_unique<CacheLevel<Lru<8>, 8, false>>(setup);
        case 12:
            return std::make_unique<CacheLevel<Lru<12>, 12, false>>(setup);
        case 16:
            return std::make_unique<CacheLevel<Lru<16>, 16, false>>(setup);
        default:
            return std::make_unique<CacheLevel<Lru<0>, 0, false>>(setup);
    }
}

}  // namespace ridge::cachesim
