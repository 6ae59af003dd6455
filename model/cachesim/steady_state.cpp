#include "model/cachesim/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::cachesim {
namespace {

constexpr std::size_t largest_alignment = 64, default_window = 8;

std::uint64_t scramble(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccd;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
}

}  // namespace

SteadyState::SteadyState(const Hierarchy& hierarchy, const HierarchySpec& spec,
                         const TraceInfo& info, const RegionMap& map, const Period& period,
                         double tolerance)
    : hierarchy_(hierarchy),
      spec_(spec),
      info_(info),
      map_(map),
      period_(period),
      tolerance_(tolerance),
      alignment_(find_alignment()),
      window_(alignment_ > 0 && alignment_ <= 16 ? std::max<std::size_t>(alignment_, 2)
                                                 : default_window),
      insertions_(static_cast<std::size_t>(hierarchy.levels()) + 1) {
    period_ended();
    periods_ = 0;
}

std::size_t SteadyState::find_alignment() const {
    std::uint64_t periods = 1;
    const auto take = [&](const CacheSpec& level) {
        const std::uint64_t sets = sets_of(level);
        for (const std::int64_t shift : period_.shift) {
            // A hash keeps its places only for lines that do not move.
            const std::int64_t reference = level.hashed ? 0 : period_.shift.front();
            const std::int64_t distance = shift - reference;
            if (distance == 0) continue;
            if (level.hashed || level.policy == "random") return false;
            const std::uint64_t step =
                sets /
                std::gcd(sets, static_cast<std::uint64_t>(distance < 0 ? -distance : distance));
            periods = std::lcm(periods, step);
            if (periods > largest_alignment) return false;
        }
        return level.policy != "random" && level.write_allocate_evasion == 0;
    };
    for (const CacheSpec& level : spec_.levels)
        if (!take(level)) return 0;
    if (spec_.instruction && !take(*spec_.instruction)) return 0;
    return static_cast<std::size_t>(periods);
}

void SteadyState::period_ended() {
    ++periods_;
    snapshots_.push_back(result_of(hierarchy_, spec_, info_, Dirty::leave_out));
    for (int level = -1; level < hierarchy_.levels(); ++level)
        insertions_[static_cast<std::size_t>(level + 1)].push_back(
            hierarchy_.counts(level).insertions);
    const std::size_t keep = std::max(2 * window_, alignment_) + 1;
    if (snapshots_.size() > keep) snapshots_.pop_front();
    for (auto& one : insertions_)
        if (one.size() > keep) one.erase(one.begin());
}

/// Independent of the order of lines and of how often the period has moved them on.
std::uint64_t SteadyState::state_hash() const {
    std::uint64_t hash = 0;
    for (int level = -1; level < hierarchy_.levels(); ++level) {
        std::uint64_t instance = static_cast<std::uint64_t>(level + 2) << 32;
        for (const auto& cache : hierarchy_.instances(level)) {
            ++instance;
            cache->visit([&](std::uint64_t line, SectorMask dirty, std::uint64_t place) {
                const auto moved =
                    static_cast<std::uint64_t>(period_.shift[map_.find(line)]) * periods_;
                hash += scramble(scramble(scramble(line - moved) + place) + instance + dirty);
            });
        }
    }
    return hash;
}

bool SteadyState::filled() const {
    for (int level = -1; level < hierarchy_.levels(); ++level) {
        const auto& history = insertions_[static_cast<std::size_t>(level + 1)];
        if (hierarchy_.instances(level).empty()) continue;
        const CacheSpec& spec =
            level < 0 ? *spec_.instruction : spec_.levels[static_cast<std::size_t>(level)];
        const double lines = static_cast<double>(spec.capacity_bytes) / spec.line_bytes *
                             static_cast<double>(hierarchy_.instances(level).size());
        const bool idle = history.back() == history.front();
        if (!idle && static_cast<double>(history.back()) < 1.5 * lines) return false;
    }
    return true;
}

/// Mean cost of a period between two snapshots, counted back from the newest (0).
Traffic SteadyState::mean(std::size_t newest, std::size_t oldest) const {
    Traffic cost = snapshots_[snapshots_.size() - 1 - newest];
    const auto periods = static_cast<double>(oldest - newest);
    combine(cost, snapshots_[snapshots_.size() - 1 - oldest],
            [periods](double& a, double b) { a = (a - b) / periods; });
    return cost;
}

std::optional<Steady> SteadyState::verdict() {
    if (auto exact = exact_verdict()) return exact;
    return tolerant_verdict();
}

std::optional<Steady> SteadyState::exact_verdict() {
    if (alignment_ == 0 || snapshots_.size() <= alignment_) return std::nullopt;
    // Hashing walks through all lines held: only when a period's worth of work has passed since.
    const bool due = earlier_hash_ && periods_ == earlier_period_ + alignment_;
    if (earlier_hash_ && !due) return std::nullopt;
    const std::uint64_t hash = state_hash();
    const bool equal = due && hash == *earlier_hash_;
    earlier_hash_ = hash;
    earlier_period_ = periods_;
    if (!equal) return std::nullopt;
    return Steady{mean(0, alignment_), true, 0, alignment_};
}

std::optional<Steady> SteadyState::tolerant_verdict() const {
    if (snapshots_.size() < 2 * window_ + 1 || !filled()) return std::nullopt;
    const Traffic last = mean(0, window_), before = mean(window_, 2 * window_);
    // Differences are judged against the level's own traffic, small ones against a hundredth of
    // what the program touches.
    const double floor_bytes = 0.01 * last.touches * info_.line_bytes;
    double deviation = 0;
    const auto judge = [&](double a, double b) {
        deviation = std::max(deviation, std::abs(a - b) / std::max({a, b, floor_bytes}));
    };
    for (std::size_t i = 0; i < last.levels.size(); ++i) {
        judge(last.levels[i].counts.read_bytes, before.levels[i].counts.read_bytes);
        judge(last.levels[i].counts.written_bytes, before.levels[i].counts.written_bytes);
    }
    if (deviation > tolerance_) return std::nullopt;
    return Steady{last, false, deviation, window_};
}

void add_skipped(Traffic& out, const Steady& steady, double periods, std::string_view period) {
    combine(out, steady.per_period, [&](double& a, double b) { a += periods * b; });
    if (steady.exact) {
        out.bound = fmt::format("exact: the caches' state repeats every {} period(s) of {}",
                                steady.window, period);
        return;
    }
    out.bound = fmt::format("steady state: two means over {} periods differ by at most {:.2g} %",
                            steady.window, 100 * steady.deviation);
    for (std::size_t i = 0; i < out.levels.size(); ++i) {
        const auto band = [&](double value, double per_period) {
            const double half = steady.deviation * periods * per_period;
            return Band{value - half, value + half};
        };
        const LevelCounts& rate = steady.per_period.levels[i].counts;
        out.levels[i].read_bound = band(out.levels[i].counts.read_bytes, rate.read_bytes);
        out.levels[i].written_bound = band(out.levels[i].counts.written_bytes, rate.written_bytes);
    }
}

}  // namespace ridge::cachesim
