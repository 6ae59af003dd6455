// CacheLevel as the first level: runs of the program. The kind is chosen once per run, the policy
// and geometry once per chunk.
#pragma once

#include <algorithm>

#include "model/cachesim/cache_level.hpp"

namespace ridge::cachesim {

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::touch(std::span<const LineRun> runs) {
    for (const LineRun& run : runs) {
        switch (run.kind) {
            case TouchKind::load:
                touch_run<TouchKind::load>(run);
                break;
            case TouchKind::store:
                touch_run<TouchKind::store>(run);
                break;
            case TouchKind::modify:
                touch_run<TouchKind::modify>(run);
                break;
            case TouchKind::fetch:
                touch_run<TouchKind::fetch>(run);
                break;
            case TouchKind::prefetch:
                touch_run<TouchKind::prefetch>(run);
                break;
            case TouchKind::store_nt:
                break;  // goes through the write-combining buffer, see Hierarchy
        }
    }
}

/// The request for bytes [first_byte, last_byte] of one line of the run.
template <class Policy, int Ways, Style style>
Request CacheLevel<Policy, Ways, style>::part_of(const LineRun& run, int first_byte,
                                                 int last_byte) const {
    const int granule = setup_.sectoring.granule_bytes;
    if (Plain || granule == spec_.line_bytes)  // no level has sectors: nothing to divide
        return {.line = run.line,
                .sectors = 1,
                .bytes = static_cast<std::uint16_t>(last_byte - first_byte + 1),
                .kind = RequestKind::read,
                .covers = first_byte == 0 && last_byte + 1 == granule};
    const int first = first_byte / granule, last = last_byte / granule;
    return {.line = run.line,
            .sectors = static_cast<SectorMask>((2u << last) - (1u << first)),
            .bytes = static_cast<std::uint16_t>(last_byte - first_byte + 1),
            .kind = RequestKind::read,
            .covers = first_byte % granule == 0 && (last_byte + 1) % granule == 0};
}

template <class Policy, int Ways, Style style>
template <TouchKind Kind>
void CacheLevel<Policy, Ways, style>::touch_run(const LineRun& run) {
    const int line_bytes = spec_.line_bytes;
    int first = run.offset, rest = run.bytes;
    std::uint64_t shift = 0;
    std::uint64_t lines = 0;
    // A touch that straddles lines is a touch of each; nearly all runs take one turn here.
    const bool straddles = first + rest > line_bytes;
    if (Plain && !straddles) {
        if constexpr (Plain) {
            const std::uint64_t missed = touch_lines_plain<Kind>(run);
            if constexpr (Kind == TouchKind::store) counts.store_misses += missed;
            if constexpr (Kind == TouchKind::load || Kind == TouchKind::modify)
                counts.load_misses += missed;
            if constexpr (Kind == TouchKind::fetch) counts.fetch_misses += missed;
            if constexpr (Kind == TouchKind::prefetch) counts.prefetch_misses += missed;
        }
        lines = run.count;
    } else if (!straddles) {
        Request one = part_of(run, first, first + rest - 1);
        for (std::uint32_t i = 0; i < run.count; ++i) {
            touch_line<Kind>(one, run.repeats);
            one.line += static_cast<std::uint64_t>(static_cast<std::int64_t>(run.stride));
        }
        lines = run.count;
    } else {
        for (std::uint32_t i = 0; i < run.count; ++i) {
            first = run.offset;
            rest = run.bytes;
            shift = 0;
            while (rest > 0) {
                const int last = std::min(line_bytes, first + rest) - 1;
                Request one = part_of(run, first, last);
                one.line +=
                    shift + static_cast<std::uint64_t>(static_cast<std::int64_t>(run.stride) * i);
                touch_line<Kind>(one, run.repeats);
                rest -= last - first + 1;
                first = 0;
                ++shift;
                ++lines;
            }
        }
    }
    const std::uint64_t accesses = lines * run.repeats;
    if constexpr (Kind == TouchKind::load || Kind == TouchKind::modify) counts.loads += accesses;
    if constexpr (Kind == TouchKind::store || Kind == TouchKind::modify) counts.stores += accesses;
    if constexpr (Kind == TouchKind::fetch) counts.fetches += accesses;
    if constexpr (Kind == TouchKind::prefetch) counts.prefetches += accesses;
}

template <class Policy, int Ways, Style style>
template <TouchKind Kind>
void CacheLevel<Policy, Ways, style>::touch_line(const Request& one, int repeats) {
    if constexpr (Kind == TouchKind::store) {
        if (!store(one)) ++counts.store_misses;
    } else {
        constexpr RequestKind wish = Kind == TouchKind::fetch      ? RequestKind::fetch
                                     : Kind == TouchKind::prefetch ? RequestKind::prefetch
                                                                   : RequestKind::read;
        std::uint64_t* row = row_of(one.line);
        const int way = find(row, one.line);
        SectorMask missing = 0;
        if (way >= 0) {
            policy_.hit(state(row), way);
            missing = missing_sectors(row, way, one.sectors);
        }
        if (way < 0 || missing) {
            const Request wanted = one.as(wish);
            if (way < 0)
                allocate(row, wanted);
            else
                fill_sectors(row, way, wanted, missing);
            counts.load_misses += wish == RequestKind::read;
            counts.fetch_misses += wish == RequestKind::fetch;
            counts.prefetch_misses += wish == RequestKind::prefetch;
        }
        if constexpr (Kind == TouchKind::modify) store(one);
    }
    if constexpr (Policy::lasting_repeats > 0) {
        // Further accesses to a line that is there only change the policy's state, and only the
        // first few do.
        if (repeats == 1) return;
        std::uint64_t* row = row_of(one.line);
        const int way = find(row, one.line);
        if (way < 0) return;
        for (int i = 1; i < std::min(repeats, Policy::lasting_repeats + 1); ++i)
            policy_.hit(state(row), way);
    }
}

}  // namespace ridge::cachesim
