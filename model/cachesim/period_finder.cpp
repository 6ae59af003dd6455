#include "model/cachesim/period_finder.hpp"

#include <algorithm>
#include <set>

namespace ridge::cachesim {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccd;
}

/// Adds the pages that a run touches; a long stride touches single ones.
void add_pages(std::set<std::uint64_t>& pages, const LineRun& run, std::uint64_t lines_per_page) {
    const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(run.stride));
    std::uint64_t line = run.line;
    std::uint64_t last_page = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < run.count; ++i, line += step)
        if (line / lines_per_page != last_page) pages.insert(last_page = line / lines_per_page);
}

}  // namespace

std::vector<Region> infer_regions(std::span<const LineRun> runs, int line_bytes) {
    constexpr std::uint64_t page_bytes = 16384, gap_pages = 4;
    std::set<std::uint64_t> pages;
    for (const LineRun& run : runs)
        add_pages(pages, run, page_bytes / static_cast<std::uint64_t>(line_bytes));
    std::vector<Region> regions;
    std::uint64_t previous = 0;
    for (const std::uint64_t page : pages) {
        if (!regions.empty() && page <= previous + gap_pages)
            regions.back().bytes = (page + 1) * page_bytes - regions.back().address;
        else
            regions.push_back({"", page * page_bytes, page_bytes});
        previous = page;
    }
    return regions;
}

std::uint64_t RunKeys::next(const LineRun& run) {
    const std::size_t region = map_.find(run.line);
    std::uint64_t key = mix(region, run.line - last_[region]);
    last_[region] = run.line;
    key = mix(key, std::uint64_t{run.count} << 32 | static_cast<std::uint32_t>(run.stride));
    key = mix(key, std::uint64_t{run.repeats} << 32 | std::uint64_t{run.offset} << 16 | run.bytes);
    return mix(key, static_cast<std::uint64_t>(run.kind) << 8 | run.thread);
}

std::optional<Period> find_period(std::span<const LineRun> runs, const RegionMap& map,
                                  double least_touches) {
    constexpr std::size_t least_periods = 4;
    const std::size_t n = runs.size();
    std::vector<std::uint64_t> keys(n);  // reversed: the start of a stream is often different
    RunKeys maker(map);
    for (std::size_t i = 0; i < n; ++i) keys[n - 1 - i] = maker.next(runs[i]);

    // fail[i]: longest proper prefix of keys[0..i] that is also its suffix, so that the shortest
    // period of these i + 1 keys is i + 1 - fail[i].
    std::vector<std::uint32_t> fail(n, 0);
    for (std::size_t i = 1, k = 0; i < n; ++i) {
        while (k > 0 && keys[i] != keys[k]) k = fail[k - 1];
        if (keys[i] == keys[k]) ++k;
        fail[i] = static_cast<std::uint32_t>(k);
    }
    std::size_t covered = 0, length = 0;
    for (std::size_t i = n; i-- > 0;) {
        const std::size_t period = i + 1 - fail[i];
        if (period * least_periods > i + 1) continue;
        covered = i + 1;
        length = period;
        break;
    }
    // A repetition that covers little of what was seen belongs to an inner loop.
    if (length == 0 || covered * 2 < n) return std::nullopt;

    double touches = 0;
    for (std::size_t i = n - length; i < n; ++i) touches += runs[i].count;
    // Joining periods makes them cheaper to watch, but a steady state needs many of them.
    constexpr std::size_t wanted_periods = 64;
    const auto most = static_cast<double>(covered / (wanted_periods * length));
    const auto times =
        static_cast<std::size_t>(std::clamp(least_touches / touches, 1.0, std::max(most, 1.0)));
    length *= times;

    Period period{n - covered, length, std::vector<std::int64_t>(map.size(), 0)};
    // The keys hold distances, so the first period counts from its second run of each region on:
    // the shift is taken between the last two periods.
    std::vector<bool> known(map.size(), false);
    for (std::size_t i = n; i-- > n - length;) {
        const std::size_t region = map.find(runs[i].line);
        if (known[region]) continue;
        known[region] = true;
        period.shift[region] = static_cast<std::int64_t>(runs[i].line - runs[i - length].line);
    }
    return period;
}

}  // namespace ridge::cachesim
