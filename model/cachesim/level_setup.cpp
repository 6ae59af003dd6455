#include "model/cachesim/level_setup.hpp"

namespace ridge::cachesim {

Style style_of(const LevelSetup& setup) {
    const CacheSpec& spec = setup.spec;
    if (spec.sector_bytes > 0) return Style::sectored;
    const bool whole_lines = setup.sectoring.granule_bytes == spec.line_bytes;
    const bool loose = spec.inclusion == Inclusion::non_inclusive && !setup.next_exclusive &&
                       !setup.coupled && spec.prefetcher == Prefetcher::none;
    const bool allocates = spec.write_policy == WritePolicy::write_back && spec.write_allocate &&
                           spec.write_allocate_evasion <= 0;
    return whole_lines && loose && allocates ? Style::plain : Style::general;
}

}  // namespace ridge::cachesim
