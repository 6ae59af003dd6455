// Levels with lru replacement. The widths that caches commonly have are fixed at compile time.
#include "model/cachesim/cache_level.hpp"
#include "model/cachesim/policy_lru.hpp"

namespace ridge::cachesim {

std::unique_ptr<Cache> make_lru_level(const LevelSetup& setup) {
    return make_level<Lru, 4, 8, 12, 16>(setup);
}

}  // namespace ridge::cachesim
