#include "collectors/step/arena.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

using ridge::step::Arena;

TEST_SUITE("behaviour") {
    TEST_CASE("slots do not overlap, keep cache lines, and start in different L1 sets") {
        Arena arena;
        const std::vector<std::size_t> sizes{1, 64, 4096, 100000, 0, 4095, 7};
        std::vector<int> slots;
        for (int round = 0; round < 10; ++round)
            for (const std::size_t size : sizes) slots.push_back(arena.reserve(size));
        const double planned = arena.planned().value();
        arena.allocate(2);
        std::set<std::uintptr_t> sets;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const auto at = reinterpret_cast<std::uintptr_t>(arena.address(slots[i]));
            CHECK(at % 64 == 0);
            if (i < 64) sets.insert(at % 4096);
            CHECK(arena.size(slots[i]) == sizes[i % sizes.size()]);
            if (i > 0)
                CHECK(arena.address(slots[i]) >=
                      arena.address(slots[i - 1]) + arena.size(slots[i - 1]));
            std::memset(arena.address(slots[i]), 0xFF, arena.size(slots[i]));
        }
        CHECK(sets.size() == 64);  // 64 slots in a row: 64 different sets
        const std::byte* first = arena.address(slots.front());
        const std::byte* last = arena.address(slots.back()) + arena.size(slots.back());
        CHECK(static_cast<double>(last - first) <= planned);
        CHECK(reinterpret_cast<std::uintptr_t>(first) % (std::size_t{2} << 20) == 0);
    }

    TEST_CASE("memory starts with zeros, and the same plan lies at the same place again") {
        std::vector<std::uintptr_t> addresses;
        for (int i = 0; i < 2; ++i) {
            Arena arena;
            const int slot = arena.reserve(300001);
            arena.allocate(1);
            addresses.push_back(reinterpret_cast<std::uintptr_t>(arena.address(slot)));
            for (std::size_t b = 0; b < arena.size(slot); b += 997)
                REQUIRE(arena.address(slot)[b] == std::byte{0});
            arena.address(slot)[0] = std::byte{1};
        }
        CHECK(addresses[0] % (std::size_t{2} << 20) == addresses[1] % (std::size_t{2} << 20));
    }
}
