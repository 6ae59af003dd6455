// The fast engine against the plain reference: ten million random accesses for every policy and
// kind of link, every count equal. (Debug builds and sanitizers: a million.)
#include <doctest/doctest.h>

#include <random>

#include "model/cachesim/hierarchy.hpp"
#include "tests/cachesim/reference.hpp"

namespace ridge::test {
namespace {

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t accesses = 10'000'000;
#else
constexpr std::uint64_t accesses = 1'000'000;
#endif

constexpr Inclusion inclusion_of(Link link) {
    return link == Link::inclusive   ? Inclusion::inclusive
           : link == Link::exclusive ? Inclusion::exclusive
                                     : Inclusion::non_inclusive;
}

struct Case {
    const char* policy;
    std::function<std::unique_ptr<ReferencePolicy>(int, std::uint64_t*)> make;
    bool power_of_two;
    bool variant;  ///< of a policy that is already in the list
};

template <class Policy>
auto simple() {
    return [](int ways, std::uint64_t*) -> std::unique_ptr<ReferencePolicy> {
        return std::make_unique<Policy>(ways);
    };
}
auto qlru(int x, int y, int m, int u, bool umo) {
    return [=](int ways, std::uint64_t*) -> std::unique_ptr<ReferencePolicy> {
        return std::make_unique<ReferenceQlru>(ways, x, y, m, u, umo);
    };
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"lru", simple<ReferenceLru>(), false, false},
        {"tree_plru", simple<ReferenceTreePlru>(), true, false},
        {"qlru_h00_m1_r0_u1", qlru(0, 0, 1, 1, false), false, false},
        {"qlru_h11_m1_r1_u2", qlru(1, 1, 1, 2, false), false, true},
        {"qlru_h21_m2_r0_u0_umo", qlru(2, 1, 2, 0, true), false, true},
        {"qlru_h20_m3_r1_u3", qlru(2, 0, 3, 3, false), false, true},
        {"srrip", simple<ReferenceSrrip>(), false, false},
        {"random",
         [](int ways, std::uint64_t* state) -> std::unique_ptr<ReferencePolicy> {
             return std::make_unique<ReferenceRandom>(ways, state);
         },
         false, false}};
    return all;
}

/// Three of five accesses go to a hot eighth of the lines, a third are stores; addresses lie near
/// 2^56, where short tags would break.
void compare(const Case& policy, Link second, Link third, std::uint64_t count) {
    HierarchySpec spec;
    const int last_ways = policy.power_of_two ? 16 : 12;
    const std::vector<ReferenceLevel> shape{
        {8, 8, Link::non_inclusive, {}}, {16, 16, second, {}}, {48, last_ways, third, {}}};
    std::vector<std::uint64_t> random_states;
    random_states.reserve(shape.size());
    std::vector<ReferenceLevel> levels = shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        CacheSpec level;
        level.name = "L" + std::to_string(i + 1);
        level.ways = shape[i].ways;
        level.capacity_bytes = shape[i].sets * static_cast<std::uint64_t>(shape[i].ways) * 64;
        level.policy = policy.policy;
        level.inclusion = inclusion_of(shape[i].link);
        spec.levels.push_back(level);
        random_states.push_back((spec.seed + i * 1000) * 2685821657736338717u + 1);
        std::uint64_t* state = &random_states.back();
        levels[i].policy = [&policy, state](int ways) { return policy.make(ways, state); };
    }
    check(spec);
    cachesim::Hierarchy fast(spec, {});
    Reference reference(levels);
    std::mt19937_64 random(7);
    std::vector<LineRun> chunk;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t draw = random();
        const bool hot = draw % 5 < 3;
        const std::uint64_t line =
            (std::uint64_t{1} << 50) - 700 + (draw >> 20) % (hot ? 175 : 1400);
        const bool write = (draw >> 10) % 3 == 0;
        chunk.push_back({.line = line,
                         .count = 1,
                         .bytes = 64,
                         .kind = write ? TouchKind::store : TouchKind::load});
        reference.access(line, write);
        if (chunk.size() == runs_per_chunk || i + 1 == count) {
            fast.consume(chunk);
            chunk.clear();
        }
    }
    fast.finish();
    for (int i = 0; i < 3; ++i) {
        CAPTURE(i);
        const cachesim::Counts counts = fast.counts(i);
        const auto& expected = reference.levels[static_cast<std::size_t>(i)];
        CHECK(counts.loads + counts.stores == expected.accesses);
        CHECK(counts.load_misses + counts.store_misses == expected.misses);
        CHECK(counts.fills == expected.misses);
        CHECK(counts.evictions == expected.evictions);
        CHECK(counts.write_backs == expected.write_backs);
        CHECK(counts.write_backs_in == expected.received);
        std::uint64_t dirty = 0;
        for (const auto& set : expected.sets)
            for (const auto& way : set) dirty += way.dirty;
        CHECK(fast.dirty_bytes(i) == 64 * dirty);
    }
    CHECK(fast.memory().read_bytes == 64 * reference.memory_reads);
    CHECK(fast.memory().written_bytes == 64 * reference.memory_writes);
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("every policy and link counts as the plain reference does") {
        constexpr std::array links{
            std::pair{Link::non_inclusive, Link::non_inclusive},
            std::pair{Link::inclusive, Link::inclusive},
            std::pair{Link::exclusive, Link::exclusive},
            std::pair{Link::inclusive, Link::exclusive},      // Zen
            std::pair{Link::non_inclusive, Link::exclusive},  // Skylake server
            std::pair{Link::non_inclusive, Link::inclusive},  // Haswell
        };
        for (const Case& policy : cases())
            for (std::size_t i = 0; i < links.size(); ++i) {
                CAPTURE(policy.policy);
                CAPTURE(i);
                // The three pure links in full; combinations and variants with a tenth.
                const bool full = i < 3 && !policy.variant;
                compare(policy, links[i].first, links[i].second, full ? accesses : accesses / 10);
            }
    }
}

}  // namespace ridge::test
