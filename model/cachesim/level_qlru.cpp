// Levels with qlru replacement. The widths that caches commonly have are fixed at compile time.
#include "model/cachesim/cache_level.hpp"
#include "model/cachesim/policy_qlru.hpp"

namespace ridge::cachesim {

std::unique_ptr<Cache> make_qlru_level(const LevelSetup& setup) {
    return make_level<Qlru, 8, 16>(setup);
}

}  // namespace ridge::cachesim
