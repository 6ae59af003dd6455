// The table of replacement policies. To add one: policy_<name>.hpp, level_<name>.cpp, a row here,
// a sequence in tests/cachesim/policy_test.cpp.
#include <array>
#include <cctype>

#include "model/cachesim/level_setup.hpp"

namespace ridge {
namespace cachesim {
namespace {

constexpr std::array table{
    Policy{"lru", "least recently used", 64, false, make_lru_level},
    Policy{"tree_plru", "tree pseudo-LRU, ways a power of two", 64, true, make_tree_plru_level},
    Policy{"qlru_hXY_mM_rR_uU[_umo]", "quad-age LRU, XY one of 00 10 11 20 21, M 0-3, R 0-2, U 0-3",
           32, false, make_qlru_level},
    Policy{"srrip", "static re-reference interval prediction, 2 bits, hit priority", 32, false,
           make_srrip_level},
    Policy{"random", "uniformly random, seeded", 64, false, make_random_level},
};

/// "qlru_hXY_mM_rR_uU[_umo]"; false when the word is another or has a digit outside its range.
bool parse_qlru(const std::string& word, PolicyParameters& parameters) {
    std::string pattern = "qlru_h##_m#_r#_u#";
    std::string rest = word;
    QlruParameters q;
    if (rest.ends_with("_umo")) {
        q.update_on_miss_only = true;
        rest.resize(rest.size() - 4);
    }
    if (rest.size() != pattern.size()) return false;
    std::array<int, 5> digits{};
    std::size_t found = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (pattern[i] != '#') {
            if (rest[i] != pattern[i]) return false;
        } else {
            if (rest[i] < '0' || rest[i] > '3') return false;
            digits[found++] = rest[i] - '0';
        }
    }
    q.hit_from_3 = digits[0];
    q.hit_from_2 = digits[1];
    q.insert = digits[2];
    q.location = digits[3];
    q.update = digits[4];
    if (q.hit_from_3 > 2 || q.hit_from_2 > 1 || q.hit_from_2 > q.hit_from_3) return false;
    // R0 and R2 need a way of age 3 at every replacement, which U2 and U3 do not provide.
    if (q.location > 2 || (q.location != 1 && q.update > 1)) return false;
    parameters.qlru = q;
    parameters.rightmost_empty = q.location == 2;
    return true;
}

}  // namespace

const Policy* find_policy(const std::string& word, PolicyParameters& parameters) {
    for (const Policy& policy : table) {
        if (policy.make == make_qlru_level ? parse_qlru(word, parameters) : word == policy.name)
            return &policy;
    }
    return nullptr;
}

}  // namespace cachesim

std::vector<PolicyEntry> policies() {
    std::vector<PolicyEntry> entries;
    for (const auto& policy : cachesim::table) entries.push_back({policy.name, policy.description});
    return entries;
}

}  // namespace ridge
