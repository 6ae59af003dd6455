// The simulator once more, as plainly as possible: one access at a time, sets as vectors, no
// hashing, no runs, no masks. What it shares with the real one is only the meaning of the words.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/cachesim/reference_policies.hpp"

namespace ridge::test {

enum class Link { non_inclusive, inclusive, exclusive };

struct ReferenceLevel {
    std::size_t sets;
    int ways;
    Link link;
    std::function<std::unique_ptr<ReferencePolicy>(int ways)> policy;
};

class Reference {
public:
    struct Way {
        bool valid = false, dirty = false;
        std::uint64_t line = 0;
    };
    struct Level {
        Link link;
        std::vector<std::vector<Way>> sets;
        std::vector<std::unique_ptr<ReferencePolicy>> policies;
        std::uint64_t accesses = 0, misses = 0, evictions = 0, write_backs = 0, received = 0;
    };

    explicit Reference(const std::vector<ReferenceLevel>& levels);
    void access(std::uint64_t line, bool write);

    std::vector<Level> levels;
    std::uint64_t memory_reads = 0, memory_writes = 0;

private:
    Way* find(std::size_t level, std::uint64_t line, bool touch);
    bool read(std::size_t level, std::uint64_t line);
    void put(std::size_t level, std::uint64_t line, bool dirty);
    void give(std::size_t level, std::uint64_t line, bool dirty);
};

}  // namespace ridge::test
