// Published replacement sequences and bounds, one set at a time.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "model/cachesim/hierarchy.hpp"

namespace ridge::test {
namespace {

/// One set of `ways` lines as a cache of its own.
class OneSet {
public:
    OneSet(const std::string& policy, int ways, std::uint64_t seed = 1) {
        HierarchySpec spec;
        CacheSpec level;
        level.ways = ways;
        level.capacity_bytes = static_cast<std::uint64_t>(64 * ways);
        level.policy = policy;
        spec.levels = {level};
        spec.seed = seed;
        check(spec);
        cache_ = std::make_unique<cachesim::Hierarchy>(spec, TraceInfo{});
    }

    /// "H" or "m" for each reference.
    std::string play(const std::vector<int>& references) {
        std::string outcome;
        for (const int line : references) {
            const auto before = cache_->counts(0).load_misses;
            const LineRun run{.line = static_cast<std::uint64_t>(line), .bytes = 8};
            cache_->consume({&run, 1});
            outcome += cache_->counts(0).load_misses == before ? 'H' : 'm';
        }
        return outcome;
    }

private:
    std::unique_ptr<cachesim::Hierarchy> cache_;
};

long misses(const std::string& outcome) {
    return std::count(outcome.begin(), outcome.end(), 'm');
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("LRU: the reference string of Silberschatz, Galvin and Gagne has 12 faults") {
        OneSet set("lru", 3);
        const std::string outcome =
            set.play({7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1});
        CHECK(misses(outcome) == 12);
        CHECK(outcome == "mmmmHmHmmmmHHmHmHmHH");
    }

    TEST_CASE("SRRIP keeps the working set through a scan (Jaleel et al., ISCA 2010, figure 3)") {
        // a1 a2 a2 a1, a scan b1 b2 b3 b4, a1 a2 again.
        const std::vector<int> sequence{1, 2, 2, 1, 11, 12, 13, 14, 1, 2};
        CHECK(OneSet("srrip", 4).play(sequence) == "mmHHmmmmHH");
        CHECK(OneSet("lru", 4).play(sequence) == "mmHHmmmmmm");
    }

    TEST_CASE("SRRIP with hit priority is QLRU_H00_M2_R0_U0_UMO (nanoBench, ISPASS 2020)") {
        OneSet srrip("srrip", 8), qlru("qlru_h00_m2_r0_u0_umo", 8);
        std::uint64_t x = 1;
        std::vector<int> sequence;
        for (int i = 0; i < 20000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            sequence.push_back(static_cast<int>((x >> 33) % ((x >> 60) < 8 ? 6 : 20)));
        }
        const std::string outcome = srrip.play(sequence);
        CHECK(outcome == qlru.play(sequence));
        CHECK(outcome.find('H') != std::string::npos);
    }

    TEST_CASE("tree-PLRU: lines survive log2(ways) others at least (Reineke et al. 2007)") {
        // Minimal life span log2(k) + 1: after a touch of line 0, log2(k) touches of others can
        // never evict it, and a suitable choice of log2(k) hits and one miss does.
        OneSet set("tree_plru", 8);
        CHECK(set.play({0, 1, 2, 3, 4, 5, 6, 7}) == "mmmmmmmm");
        // Line 0 just touched; 1, 2 and 4 turn the three bits of its path towards it, leaf first.
        CHECK(set.play({0, 1, 2, 4, 8, 0}) == "HHHHmm");
        // One fewer leaves it.
        OneSet other("tree_plru", 8);
        other.play({0, 1, 2, 3, 4, 5, 6, 7});
        CHECK(other.play({0, 4, 2, 8, 0}) == "HHHmH");
    }

    TEST_CASE("QLRU_H00_M1_R0_U1 worked through by its definition") {
        // Ages after each reference, ways 0 to 3, all 3 when empty; an update raises the others
        // once none of them is 3 any more.
        //   a: 1333   b: 1133   c: 1113   d: 1111 -> others of d by 2: 3331
        //   a again: hit, 0331   e replaces the leftmost 3, b: 0131
        //   b replaces the next 3, c: 0111 -> others of way 2 by 2: 2313
        //   c replaces the leftmost 3, way 1 (e); d, way 3, still there? age 3: yes, a hit.
        OneSet set("qlru_h00_m1_r0_u1", 4);
        CHECK(set.play({1, 2, 3, 4, 1, 5, 2}) == "mmmmHmm");
        CHECK(set.play({3, 4, 1}) == "mHH");
    }

    TEST_CASE("random: cyclic sweep of one line too many meets its fixed point") {
        constexpr int k = 64, turns = 4000;
        OneSet set("random", k);
        std::vector<int> sequence;
        for (int i = 0; i < (k + 1) * turns; ++i) sequence.push_back(i % (k + 1));
        const double share =
            static_cast<double>(misses(set.play(sequence))) / static_cast<double>(sequence.size());
        // k ways, k + 1 lines in turn: one line is missing at any time. A miss evicts one of the
        // other k lines, all equally likely, whose turn comes 1 to k touches later, (k + 1) / 2 on
        // average, and everything before it hits: 2 / (k + 1) of the touches miss.
        CHECK(share == doctest::Approx(2.0 / (k + 1)).epsilon(0.02));
    }

    TEST_CASE("random: equal seeds give equal runs, others do not") {
        std::vector<int> sequence;
        for (int i = 0; i < 3000; ++i) sequence.push_back(i * 7 % 23);
        const auto one = OneSet("random", 8, 1).play(sequence);
        CHECK(one == OneSet("random", 8, 1).play(sequence));
        CHECK(one != OneSet("random", 8, 2).play(sequence));
    }
}

}  // namespace ridge::test
