// What a level is built from, and the factories of the levels: one per policy, each in its own
// file, so that each policy compiles by itself.
#pragma once

#include <memory>

#include "model/cachesim/level.hpp"
#include "model/cachesim/policy.hpp"
#include "ridge/cachesim.hpp"

namespace ridge::cachesim {

struct LevelSetup {
    CacheSpec spec;
    std::uint64_t sets = 64;
    std::uint64_t granule = 1;  ///< see SetIndex
    PolicyParameters parameters;
    Sectoring sectoring;
    const RegionMap* regions = nullptr;  ///< null when no regions are known
    Level* next = nullptr;
    bool next_exclusive = false;
    /// Requests must reach the next level at once: it is exclusive, or one below is inclusive and
    /// may drop lines here.
    bool coupled = false;
};

/// What a level is compiled for. plain: whole lines, write-back with allocation, nothing that links
/// it closer to its neighbours (inclusion, prefetching, evasion): what most levels are, and what is
/// worth being fast. sectored: lines in sectors. general: everything else.
enum class Style { plain, general, sectored };
[[nodiscard]] Style style_of(const LevelSetup& setup);

/// One row of the table of policies.
struct Policy {
    const char* name;
    const char* description;
    int max_ways;
    bool power_of_two_ways;
    std::unique_ptr<Cache> (*make)(const LevelSetup&);
};

std::unique_ptr<Cache> make_lru_level(const LevelSetup& setup);
std::unique_ptr<Cache> make_tree_plru_level(const LevelSetup& setup);
std::unique_ptr<Cache> make_qlru_level(const LevelSetup& setup);
std::unique_ptr<Cache> make_srrip_level(const LevelSetup& setup);
std::unique_ptr<Cache> make_random_level(const LevelSetup& setup);

/// The row of a policy word and its parameters ("qlru_h00_m1_r0_u1_umo"); null when unknown.
const Policy* find_policy(const std::string& word, PolicyParameters& parameters);

}  // namespace ridge::cachesim
