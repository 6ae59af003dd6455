// Levels with srrip replacement. The widths that caches commonly have are fixed at compile time.
#include "model/cachesim/cache_level.hpp"
#include "model/cachesim/policy_srrip.hpp"

namespace ridge::cachesim {

std::unique_ptr<Cache> make_srrip_level(const LevelSetup& setup) {
    return make_level<Srrip, 8, 16>(setup);
}

}  // namespace ridge::cachesim
