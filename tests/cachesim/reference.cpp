#include "tests/cachesim/reference.hpp"

namespace ridge::test {

Reference::Reference(const std::vector<ReferenceLevel>& wanted) {
    for (const auto& one : wanted) {
        Level level{one.link, {}, {}};
        level.sets.resize(one.sets, std::vector<Way>(static_cast<std::size_t>(one.ways)));
        for (std::size_t i = 0; i < one.sets; ++i) level.policies.push_back(one.policy(one.ways));
        levels.push_back(std::move(level));
    }
}

Reference::Way* Reference::find(std::size_t i, std::uint64_t line, bool touch) {
    auto& set = levels[i].sets[line % levels[i].sets.size()];
    for (std::size_t way = 0; way < set.size(); ++way)
        if (set[way].valid && set[way].line == line) {
            if (touch) levels[i].policies[line % levels[i].sets.size()]->hit(way);
            return &set[way];
        }
    return nullptr;
}

/// Takes the line from level i on downwards; true when it comes up dirty.
bool Reference::read(std::size_t i, std::uint64_t line) {
    if (i == levels.size()) return ++memory_reads, false;
    Level& level = levels[i];
    const bool exclusive = level.link == Link::exclusive;
    ++level.accesses;
    if (Way* way = find(i, line, !exclusive)) {
        if (!exclusive) return false;
        const bool dirty = way->dirty;
        level.policies[line % level.sets.size()]->drop(
            static_cast<std::size_t>(way - level.sets[line % level.sets.size()].data()));
        *way = {};
        return dirty;
    }
    ++level.misses;
    const bool dirty = read(i + 1, line);
    if (exclusive) return dirty;
    put(i, line, dirty);
    return false;
}

void Reference::put(std::size_t i, std::uint64_t line, bool dirty) {
    Level& level = levels[i];
    auto& set = level.sets[line % level.sets.size()];
    auto& policy = *level.policies[line % level.sets.size()];
    std::size_t way = 0;
    while (way < set.size() && set[way].valid) ++way;
    if (way == set.size()) {
        way = policy.victim();
        Way old = set[way];
        set[way] = {};
        ++level.evictions;
        for (std::size_t above = 0; above < i && level.link == Link::inclusive; ++above)
            if (Way* copy = find(above, old.line, false)) {
                auto& inner = levels[above];
                old.dirty |= copy->dirty;
                inner.policies[old.line % inner.sets.size()]->drop(static_cast<std::size_t>(
                    copy - inner.sets[old.line % inner.sets.size()].data()));
                *copy = {};
            }
        level.write_backs += old.dirty;
        const bool to_victim_cache = i + 1 < levels.size() && levels[i + 1].link == Link::exclusive;
        if (old.dirty || to_victim_cache) give(i + 1, old.line, old.dirty);
    }
    set[way] = {true, dirty, line};
    policy.fill(way);
}

void Reference::give(std::size_t i, std::uint64_t line, bool dirty) {
    if (i == levels.size()) {
        memory_writes += dirty;
        return;
    }
    ++levels[i].received;
    if (Way* way = find(i, line, true))
        way->dirty |= dirty;
    else
        put(i, line, dirty);
}

void Reference::access(std::uint64_t line, bool write) {
    read(0, line);
    if (write) find(0, line, false)->dirty = true;
}

}  // namespace ridge::test
