// CacheLevel: changing the contents of a set, and what flows down because of it.
#pragma once

#include "model/cachesim/cache_level.hpp"

namespace ridge::cachesim {

template <class Policy, int Ways, Style style>
SectorMask CacheLevel<Policy, Ways, style>::rounded(SectorMask wanted) const {
    if constexpr (!Sectored) {
        return all_sectors();
    } else {
        // This level's sector may be several granules of a finer level.
        const int group = spec_.sector_bytes / setup_.sectoring.granule_bytes;
        if (group <= 1) return wanted;
        const int granules = spec_.line_bytes / setup_.sectoring.granule_bytes;
        const unsigned one = (1u << group) - 1;
        unsigned result = 0;
        for (int bit = 0; bit < granules; bit += group)
            if (wanted & (one << bit)) result |= one << bit;
        return static_cast<SectorMask>(result);
    }
}

/// Puts an absent line in, evicting if need be; returns its way.
template <class Policy, int Ways, Style style>
int CacheLevel<Policy, Ways, style>::insert(std::uint64_t* row, std::uint64_t line,
                                            SectorMask present, SectorMask dirty_mask) {
    const int way = free_way(row);
    const std::uint64_t bit = std::uint64_t{1} << way;
    set_tag(row, way, line, fingerprint_shift_);
    valid(row) |= bit;
    if constexpr (Sectored) sectors(row, way) = present;
    if (dirty_mask) mark_dirty(row, way, dirty_mask);
    policy_.fill(state(row), way);
    ++counts.insertions;
    return way;
}

template <class Policy, int Ways, Style style>
int CacheLevel<Policy, Ways, style>::free_way(std::uint64_t* row) {
    const std::uint64_t empty = full_ & ~valid(row);
    if (empty) [[unlikely]]
        return setup_.parameters.rightmost_empty ? 63 - std::countl_zero(empty)
                                                 : std::countr_zero(empty);
    const int way = policy_.victim(state(row));
    evict(row, way);
    return way;
}

/// Displaces the line of `way`; inclusive levels take it from the levels above as well.
template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::evict(std::uint64_t* row, int way) {
    const std::uint64_t line = row[way];
    SectorMask dirty_mask = dirty_sectors(row, way);
    const std::uint64_t bit = std::uint64_t{1} << way;
    ++counts.evictions;
    if constexpr (Plain) {
        // The place is taken again at once, and nothing below can ask for it meanwhile.
        if (!dirty_mask) return;
        dirty(row) &= ~bit;
        write_down(line, dirty_mask, RequestKind::write_back);
        return;
    }
    dirty(row) &= ~bit;
    valid(row) &= ~bit;
    row[way] = no_line;
    for (Cache* above : inner_) dirty_mask |= above->drop(line).dirty;
    if (setup_.next_exclusive)
        write_down(line, dirty_mask, RequestKind::victim);
    else if (dirty_mask)
        write_down(line, dirty_mask, RequestKind::write_back);
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::mark_dirty(std::uint64_t* row, int way, SectorMask mask) {
    dirty(row) |= std::uint64_t{1} << way;
    if constexpr (Sectored) sectors(row, way) |= static_cast<std::uint64_t>(mask) << 16 | mask;
}

template <class Policy, int Ways, Style style>
SectorMask CacheLevel<Policy, Ways, style>::dirty_sectors(std::uint64_t* row, int way) const {
    if constexpr (Sectored)
        return static_cast<SectorMask>(sectors(row, way) >> 16);
    else
        return (dirty(row) >> way & 1) ? all_sectors() : SectorMask{0};
}

/// Takes a line out without sending it anywhere; returns what was dirty.
template <class Policy, int Ways, Style style>
SectorMask CacheLevel<Policy, Ways, style>::remove(std::uint64_t* row, int way) {
    const SectorMask dirty_mask = dirty_sectors(row, way);
    const std::uint64_t bit = std::uint64_t{1} << way;
    dirty(row) &= ~bit;
    valid(row) &= ~bit;
    row[way] = no_line;
    if constexpr (Sectored) sectors(row, way) = 0;
    policy_.drop(state(row), way);
    ++counts.invalidations;
    return dirty_mask;
}

/// Sectors of `wanted` that a resident line lacks; none without sectors.
template <class Policy, int Ways, Style style>
SectorMask CacheLevel<Policy, Ways, style>::missing_sectors(std::uint64_t* row, int way,
                                                            SectorMask wanted) const {
    if constexpr (Sectored)
        return static_cast<SectorMask>(wanted & ~sectors(row, way));
    else
        return 0;
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::fill_sectors(std::uint64_t* row, int way, const Request& one,
                                                   SectorMask missing) {
    if constexpr (Sectored) {
        sectors(row, way) |= rounded(missing);
        fetch(one, rounded(missing));
    }
}

/// Reads sectors of a line from the level below.
template <class Policy, int Ways, Style style>
Reply CacheLevel<Policy, Ways, style>::fetch(const Request& one, SectorMask mask) {
    ++counts.fills;
    const std::uint64_t bytes = bytes_of(mask);
    counts.read_bytes += bytes;
    if (!region_bytes.empty())
        region_bytes[setup_.regions->find(one.line, read_region_)].read += bytes;
    return send({.line = one.line,
                 .sectors = mask,
                 .bytes = one.bytes,
                 .kind = one.kind == RequestKind::store ? RequestKind::own : one.kind,
                 .covers = one.covers});
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::write_down(std::uint64_t line, SectorMask mask,
                                                 RequestKind kind) {
    // A clean victim moves down too: its bytes cross the link, though nothing is written back.
    const std::uint64_t bytes =
        kind == RequestKind::victim ? bytes_of(all_sectors()) : bytes_of(mask);
    counts.write_backs += mask != 0;
    counts.written_bytes += bytes;
    if (!region_bytes.empty())
        region_bytes[setup_.regions->find(line, written_region_)].written += bytes;
    send({.line = line, .sectors = mask, .kind = kind});
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::forward_store(const Request& one) {
    counts.written_bytes += one.bytes;
    if (!region_bytes.empty())
        region_bytes[setup_.regions->find(one.line, written_region_)].written += one.bytes;
    send(one.as(RequestKind::store));
}

template <class Policy, int Ways, Style style>
Reply CacheLevel<Policy, Ways, style>::send(const Request& one) {
    if (!Plain && setup_.coupled) return setup_.next->request(one);
    out_[waiting_++] = one.as(one.kind);
    if (waiting_ >= batch) flush();
    return {};
}

template <class Policy, int Ways, Style style>
Dropped CacheLevel<Policy, Ways, style>::drop(std::uint64_t line) {
    std::uint64_t* row = row_of(line);
    const int way = find(row, line);
    if (way < 0) return {};
    return {true, remove(row, way)};
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::visit(const Visitor& visitor) const {
    for (std::size_t set = 0; set < sets_; ++set) {
        std::uint64_t* row = rows_ + set * stride();
        for (int way = 0; way < ways(); ++way)
            if (valid(row) >> way & 1)
                visitor(row[way], dirty_sectors(row, way), policy_.signature(state(row), way));
    }
}

template <class Policy, int Ways, Style style>
std::uint64_t CacheLevel<Policy, Ways, style>::dirty_bytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t set = 0; set < sets_; ++set) {
        std::uint64_t* row = rows_ + set * stride();
        for (std::uint64_t left = valid(row) & dirty(row); left != 0; left &= left - 1)
            bytes += bytes_of(dirty_sectors(row, std::countr_zero(left)));
    }
    return bytes;
}

}  // namespace ridge::cachesim
