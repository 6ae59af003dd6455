// What a replacement policy is to a cache level. Each policy is one file, policy_<name>.hpp:
//
//   template <int Ways> class Name {       // Ways = 0: known at run time only
//       explicit Name(const PolicyParameters&);
//       static constexpr int words(int ways);       // 64-bit words of state per set
//       void reset(std::uint64_t* state) const;     // empty set
//       void hit(std::uint64_t* state, int way);
//       void fill(std::uint64_t* state, int way);   // a line was put into `way`
//       int victim(std::uint64_t* state);           // all ways hold lines; may age them
//       void drop(std::uint64_t* state, int way);   // the line of `way` was removed
//       std::uint64_t signature(const std::uint64_t* state, int way) const;
//       static constexpr int lasting_repeats;       // hits after which further ones to the same
//   };                                              // line change nothing
//
// The state lives in the row of its set beside the tags, so that one set costs the host one or two
// cache lines. signature() tells the place of a line in its set: two sets whose lines have equal
// signatures behave alike from then on (used to recognise a repeating state).
#pragma once

#include <cstdint>
#include <string>

/// For what runs once per touch: compilers stop inlining in functions of this size on their own,
/// and a call costs as much as the work.
#define RIDGE_INLINE [[gnu::always_inline]] inline

namespace ridge::cachesim {

/// Parameters of QLRU in the notation of Abel and Reineke, "nanoBench" (ISPASS 2020) and
/// uops.info/cache.html: hit function Hxy, insertion age Mx, replaced location Rx, ageing Ux, UMO =
/// ageing on misses only.
struct QlruParameters {
    int hit_from_3 = 0, hit_from_2 = 0;
    int insert = 1;
    int location = 0;
    int update = 1;
    bool update_on_miss_only = false;
};

struct PolicyParameters {
    int ways = 8;
    std::uint64_t seed = 1;
    QlruParameters qlru;
    bool rightmost_empty = false;  ///< R2: an empty location is taken from the right
};

}  // namespace ridge::cachesim
