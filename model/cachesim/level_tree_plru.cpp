// Levels with tree_plru replacement. The widths that caches commonly have are fixed at compile
// time.
#include "model/cachesim/cache_level.hpp"
#include "model/cachesim/policy_tree_plru.hpp"

namespace ridge::cachesim {

std::unique_ptr<Cache> make_tree_plru_level(const LevelSetup& setup) {
    return make_level<TreePlru, 8, 16>(setup);
}

}  // namespace ridge::cachesim
