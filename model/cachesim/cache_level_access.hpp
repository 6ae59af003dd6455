// CacheLevel: what a request does, by kind.
#pragma once

#include "model/cachesim/cache_level.hpp"

namespace ridge::cachesim {

template <class Policy, int Ways, Style style>
Reply CacheLevel<Policy, Ways, style>::serve(const Request& one) {
    switch (one.kind) {
        case RequestKind::read:
        case RequestKind::own:
        case RequestKind::fetch:
        case RequestKind::prefetch:
            counts.supplied_bytes += bytes_of(one.sectors);
            return read(one);
        case RequestKind::write_back:
        case RequestKind::victim:
            write_back_in(one);
            break;
        case RequestKind::store:
            counts.received_bytes += one.bytes;
            ++counts.forwarded_stores;
            store(one);
            break;
        case RequestKind::store_nt:
            store_nt(one);
            break;
    }
    return {};
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::count(RequestKind kind, bool miss) {
    switch (kind) {
        case RequestKind::own:
            ++counts.stores;
            counts.store_misses += miss;
            break;
        case RequestKind::fetch:
            ++counts.fetches;
            counts.fetch_misses += miss;
            break;
        case RequestKind::prefetch:
            ++counts.prefetches;
            counts.prefetch_misses += miss;
            break;
        default:
            ++counts.loads;
            counts.load_misses += miss;
    }
}

/// Gives the line to the level above (or the program). Non-exclusive levels keep a copy.
template <class Policy, int Ways, Style style>
Reply CacheLevel<Policy, Ways, style>::read(const Request& one) {
    std::uint64_t* row = row_of(one.line);
    const int way = find(row, one.line);
    if (way < 0) {
        count(one.kind, true);
        if (exclusive()) return evades(one) ? Reply{} : fetch(one, rounded(one.sectors));
        allocate(row, one);
        return {};
    }
    const SectorMask missing = missing_sectors(row, way, one.sectors);
    count(one.kind, missing != 0);
    if (exclusive()) {
        const SectorMask moved = remove(row, way);
        if (missing) fetch(one, rounded(missing));
        return {moved};
    }
    policy_.hit(state(row), way);
    if (missing) fill_sectors(row, way, one, missing);
    return {};
}

/// Brings an absent line in; returns its way.
template <class Policy, int Ways, Style style>
int CacheLevel<Policy, Ways, style>::allocate(std::uint64_t* row, const Request& one) {
    const SectorMask wanted = rounded(one.sectors);
    // With sectors, a store that covers all it touches leaves nothing to read.
    const bool complete =
        Sectored && one.kind == RequestKind::own && one.covers && wanted == one.sectors;
    SectorMask moved = 0;
    if (!complete && !evades(one)) moved = fetch(one, wanted).dirty;
    const int way = insert(row, one.line, wanted, moved);
    if (prefetches() && one.kind != RequestKind::prefetch)
        prefetcher_.on_miss(one.line, [this](std::uint64_t ahead) { prefetch(ahead); });
    return way;
}

/// Whether this store miss is the one in 1/share whose line is not read: the share is met exactly
/// over time.
template <class Policy, int Ways, Style style>
bool CacheLevel<Policy, Ways, style>::evades(const Request& one) {
    if (Plain || spec_.write_allocate_evasion <= 0 || one.kind != RequestKind::own || !one.covers ||
        one.sectors != all_sectors())
        return false;
    evasion_due_ += spec_.write_allocate_evasion;
    if (evasion_due_ < 1) return false;
    evasion_due_ -= 1;
    ++counts.evaded;
    return true;
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::prefetch(std::uint64_t line) {
    std::uint64_t* row = row_of(line);
    if (find(row, line) >= 0) return;
    count(RequestKind::prefetch, true);
    allocate(row, {.line = line, .sectors = setup_.sectoring.all, .kind = RequestKind::prefetch});
}

/// A store of the program (first level) or one that the level above passed on. Counting is left
/// to the caller; returns whether the line was there.
template <class Policy, int Ways, Style style>
bool CacheLevel<Policy, Ways, style>::store(const Request& one) {
    std::uint64_t* row = row_of(one.line);
    int way = find(row, one.line);
    const bool present = way >= 0;
    if (present) {
        policy_.hit(state(row), way);
        const SectorMask missing = missing_sectors(row, way, one.sectors);
        if (missing && !one.covers) fill_sectors(row, way, one, missing);
    } else if (!write_allocate() || exclusive()) {
        forward_store(one);
        return false;
    } else {
        way = allocate(row, one.as(RequestKind::own));
        // A prefetch of the next lines may have displaced what was just brought in.
        if (row[way] != one.line) return false;
    }
    if (write_back())
        mark_dirty(row, way, one.sectors);
    else if (spec_.write_policy == WritePolicy::write_through)
        forward_store(one);
    return present;
}

/// A line evicted above: kept without reading anything, unless sectors are missing.
template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::write_back_in(const Request& one) {
    ++counts.write_backs_in;
    counts.received_bytes +=
        bytes_of(one.kind == RequestKind::victim ? all_sectors() : one.sectors);
    std::uint64_t* row = row_of(one.line);
    int way = find(row, one.line);
    const SectorMask present = one.kind == RequestKind::victim ? all_sectors() : one.sectors;
    if (way >= 0) {
        policy_.hit(state(row), way);
        if constexpr (Sectored) sectors(row, way) |= present;
    } else if (!write_allocate() && one.kind == RequestKind::write_back) {
        write_down(one.line, one.sectors, RequestKind::write_back);
        return;
    } else {
        if (!Sectored && !Plain && present != setup_.sectoring.all)
            fetch({.line = one.line}, static_cast<SectorMask>(setup_.sectoring.all & ~present));
        way = insert(row, one.line, present, 0);
    }
    if (!one.sectors) return;
    if (!Plain && spec_.write_policy == WritePolicy::write_through)
        write_down(one.line, one.sectors, RequestKind::write_back);
    else
        mark_dirty(row, way, one.sectors);
}

/// The line goes to memory past this level; a copy here is dropped, its dirty data merged.
template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::store_nt(Request one) {
    std::uint64_t* row = row_of(one.line);
    const int way = find(row, one.line);
    if (way >= 0 && remove(row, way)) one.covers = true;
    for (Cache* above : inner_)
        if (above->drop(one.line).dirty) one.covers = true;
    send(one);
}

template <class Policy, int Ways, Style style>
bool CacheLevel<Policy, Ways, style>::reference(std::uint64_t line) {
    std::uint64_t* row = row_of(line);
    const int way = find(row, line);
    if (way >= 0) {
        policy_.hit(state(row), way);
        return true;
    }
    const int taken = free_way(row);
    set_tag(row, taken, line, fingerprint_shift_);
    valid(row) |= std::uint64_t{1} << taken;
    policy_.fill(state(row), taken);
    return false;
}

}  // namespace ridge::cachesim
