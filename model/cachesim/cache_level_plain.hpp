// CacheLevel in plain style: an access hits, or it displaces one line and brings in another. The
// loops count in registers and keep the general path's order of requests (first the line that is
// read, then the one written back), so both give equal counts.
#pragma once

#include <algorithm>

#include "model/cachesim/cache_level.hpp"

namespace ridge::cachesim {

/// Puts an absent line in a plain level and asks for what moves: the line itself when `reads`, and
/// the write-back of a dirty victim. `rest` is what a request says beside its line.
template <class Policy, int Ways, Style style>
int CacheLevel<Policy, Ways, style>::replace(std::uint64_t* row, std::uint64_t line,
                                             std::uint64_t rest, bool reads, bool dirty_now,
                                             Loop& loop) {
    put(*loop.out, line, rest);
    loop.out += reads;
    const std::uint64_t empty = loop.full & ~valid(row);
    int way;
    if (empty) [[unlikely]] {
        way = setup_.parameters.rightmost_empty ? 63 - std::countl_zero(empty)
                                                : std::countr_zero(empty);
        valid(row) |= std::uint64_t{1} << way;
        ++loop.empty;
        policy_.fill(state(row), way);
    } else if constexpr (requires { policy_.replace(state(row)); }) {
        way = policy_.replace(state(row));
    } else {
        way = policy_.victim(state(row));
        policy_.fill(state(row), way);
    }
    const std::uint64_t mask = dirty(row);
    const std::uint64_t was_dirty = mask >> way & 1;
    dirty(row) = mask ^ (was_dirty ^ std::uint64_t{dirty_now}) << way;
    // Written whether it counts or not: a branch here would be mispredicted often.
    const std::uint64_t victim = row[way];
    put(*loop.out, victim, rest_of({.kind = RequestKind::write_back}));
    loop.out += was_dirty;
    loop.dirty += was_dirty;
    set_tag(row, way, line, loop.shift);
    if (!region_bytes.empty()) count_regions(reads, line, was_dirty != 0, victim);
    return way;
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::count_regions(bool reads, std::uint64_t line, bool writes,
                                                    std::uint64_t victim) {
    const std::uint64_t line_bytes = setup_.sectoring.line_bytes;
    if (reads) region_bytes[setup_.regions->find(line, read_region_)].read += line_bytes;
    if (writes) region_bytes[setup_.regions->find(victim, written_region_)].written += line_bytes;
}

/// What the replacements of a batch add to the counts; `read` of them read their line.
template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::add(const Loop& loop, std::uint64_t all, std::uint64_t read) {
    const std::uint64_t line_bytes = setup_.sectoring.line_bytes;
    counts.insertions += all;
    counts.evictions += all - loop.empty;
    counts.fills += read;
    counts.read_bytes += read * line_bytes;
    counts.write_backs += loop.dirty;
    counts.written_bytes += loop.dirty * line_bytes;
}

/// Hands on the requests up to `end`; returns the first place again.
template <class Policy, int Ways, Style style>
Request* CacheLevel<Policy, Ways, style>::hand_on(const Request* end) {
    waiting_ = static_cast<std::size_t>(end - out_.data());
    flush();
    return out_.data();
}

template <class Policy, int Ways, Style style>
void CacheLevel<Policy, Ways, style>::process_plain(std::span<const Request> requests) {
    constexpr auto write_back = static_cast<std::size_t>(RequestKind::write_back);
    std::uint64_t served[write_back + 1] = {}, missed[write_back + 1] = {};
    Loop loop(*this);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (i + look_ahead < requests.size())
            bring_near(row_of(requests[i + look_ahead].line, loop));
        const Request& one = requests[i];
        const auto kind = static_cast<std::size_t>(one.kind);
        if (kind > write_back) [[unlikely]] {
            waiting_ = static_cast<std::size_t>(loop.out - out_.data());
            serve(one);
            loop.out = out_.data() + waiting_;
            continue;
        }
        const bool writes = kind == write_back;
        ++served[kind];
        std::uint64_t* row = row_of(one.line, loop);
        const int way = find_tag<Ways>(row, fingerprints(row), one.line, loop.shift);
        if (way >= 0) {
            policy_.hit(state(row), way);
            dirty(row) |= std::uint64_t{writes} << way;
        } else {
            ++missed[kind];
            replace(row, one.line, rest_of(one), !writes, writes, loop);
            if (loop.out >= loop.out_full) [[unlikely]]
                loop.out = hand_on(loop.out);
        }
    }
    waiting_ = static_cast<std::size_t>(loop.out - out_.data());
    const auto of = [](const std::uint64_t* numbers, RequestKind kind) {
        return numbers[static_cast<std::size_t>(kind)];
    };
    const std::uint64_t line_bytes = setup_.sectoring.line_bytes;
    const std::uint64_t reads = of(missed, RequestKind::read) + of(missed, RequestKind::own) +
                                of(missed, RequestKind::fetch) + of(missed, RequestKind::prefetch);
    add(loop, reads + missed[write_back], reads);
    counts.loads += of(served, RequestKind::read);
    counts.load_misses += of(missed, RequestKind::read);
    counts.stores += of(served, RequestKind::own);
    counts.store_misses += of(missed, RequestKind::own);
    counts.fetches += of(served, RequestKind::fetch);
    counts.fetch_misses += of(missed, RequestKind::fetch);
    counts.prefetches += of(served, RequestKind::prefetch);
    counts.prefetch_misses += of(missed, RequestKind::prefetch);
    counts.write_backs_in += served[write_back];
    counts.received_bytes += served[write_back] * line_bytes;
    for (std::size_t kind = 0; kind < write_back; ++kind)
        counts.supplied_bytes += served[kind] * line_bytes;
}

/// The lines of a run that does not straddle; returns how many missed.
template <class Policy, int Ways, Style style>
template <TouchKind Kind>
std::uint64_t CacheLevel<Policy, Ways, style>::touch_lines_plain(const LineRun& run) {
    constexpr RequestKind wish = Kind == TouchKind::fetch      ? RequestKind::fetch
                                 : Kind == TouchKind::prefetch ? RequestKind::prefetch
                                 : Kind == TouchKind::store    ? RequestKind::own
                                                               : RequestKind::read;
    constexpr bool stores = Kind == TouchKind::store || Kind == TouchKind::modify;
    std::uint64_t line = run.line;
    const std::uint64_t rest =
        rest_of(part_of(run, run.offset, run.offset + run.bytes - 1).as(wish));
    const auto stride = static_cast<std::uint64_t>(std::int64_t{run.stride});
    Loop loop(*this);
    std::uint64_t missed = 0;
    for (std::uint32_t i = 0; i < run.count; ++i) {
        std::uint64_t* row = row_of(line, loop);
        int way = find_tag<Ways>(row, fingerprints(row), line, loop.shift);
        if (way >= 0) {
            policy_.hit(state(row), way);
            if constexpr (stores) dirty(row) |= std::uint64_t{1} << way;
        } else {
            ++missed;
            way = replace(row, line, rest, true, stores, loop);
            if (loop.out >= loop.out_full) [[unlikely]]
                loop.out = hand_on(loop.out);
        }
        if constexpr (Policy::lasting_repeats > 0) {
            if constexpr (Kind == TouchKind::modify) policy_.hit(state(row), way);
            for (int k = 1; k < std::min<int>(run.repeats, Policy::lasting_repeats + 1); ++k)
                policy_.hit(state(row), way);
        }
        line += stride;
    }
    waiting_ = static_cast<std::size_t>(loop.out - out_.data());
    if (missed) add(loop, missed, missed);
    return missed;
}

}  // namespace ridge::cachesim
