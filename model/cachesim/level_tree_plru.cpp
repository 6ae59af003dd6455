// Levels with tree_plru replacement. The widths that caches commonly have are fixed at compile
// time.
#include "model/cachesim/cache_level.hpp"
#include "model/cachesim/policy_tree_plru.hpp"

namespace ridge::cachesim {

std::unique_ptr<Cache> make_tree_plru_level(const LevelSetup& setup) {
    if (setup.spec.sector_bytes > 0)
        return std::make_unique<CacheLevel<TreePlru<0>, 0, true>>(setup);
    switch (setup.spec.ways) {
        case 8:
            return std::make_unique<CacheLevel<TreePlru<8>, 8, false>>(setup);
        case 16:
            return std::make_unique<CacheLevel<TreePlru<16>, 16, false>>(setup);
        default:
            return std::make_unique<CacheLevel<TreePlru<0>, 0, false>>(setup);
    }
}

}  // namespace ridge::cachesim
