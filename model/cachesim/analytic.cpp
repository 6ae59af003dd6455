// Analytic mode: layer conditions on a loop nest.
//
// F(x, S) is the footprint of array x in a subtree S in bytes of whole lines. For a cache of
// capacity C the traffic of a loop L with body B, executed once, is
//
//   sum_x F(x, L)                 if sum_x F(x, B) <= C: one iteration fits, so what the next one
//                                 needs again is still there and each line comes in once;
//   extent(L) * T(children of B)  otherwise.
//
// The same idea is known as layer conditions (Stengel, Treibig, Hager and Wellein, ICS 2015). Least
// recently used replacement in sets reaches only part of its capacity: 0.8 C is used. Where a
// footprint is close to the capacity, part of it is still reused: 0.6 C and 1.5 C give the bounds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridge/loop_nest.hpp"

namespace ridge {
namespace {

struct Dimension {
    double move, extent;
};

/// Distinct bytes of a run when the loops in `dimensions` go round, counted in whole lines: from
/// the shortest step on, steps beyond the span add copies, shorter ones slide the span.
double footprint(const NestRun& run, std::vector<Dimension> dimensions, double line_bytes) {
    double span = run.bytes, size = std::ceil(run.bytes / line_bytes) * line_bytes;
    if (run.rows > 1)
        dimensions.push_back({static_cast<double>(run.pitch), static_cast<double>(run.rows)});
    std::sort(dimensions.begin(), dimensions.end(),
              [](const Dimension& a, const Dimension& b) { return a.move < b.move; });
    for (const Dimension& d : dimensions) {
        const double reach = d.move * (d.extent - 1) + span;
        if (d.move >= span)
            size *= d.extent;
        else
            size = std::min(size * d.extent, std::ceil(reach / line_bytes) * line_bytes);
        span = reach;
    }
    return std::min(size, std::ceil(span / line_bytes) * line_bytes + line_bytes);
}

/// Bytes per array, separately for what is only read, what is written with allocation, and what is
/// stored past the caches.
struct ArrayBytes {
    std::vector<double> touched, written, non_temporal;
    explicit ArrayBytes(std::size_t arrays)
        : touched(arrays), written(arrays), non_temporal(arrays) {}

    [[nodiscard]] double cached() const {
        double sum = 0;
        for (const double bytes : touched) sum += bytes;
        return sum;
    }
    void add(const ArrayBytes& other, double times) {
        for (std::size_t i = 0; i < touched.size(); ++i) {
            touched[i] += times * other.touched[i];
            written[i] += times * other.written[i];
            non_temporal[i] += times * other.non_temporal[i];
        }
    }
};

class Analysis {
public:
    Analysis(const LoopNest& nest, double line_bytes) : nest_(nest), line_bytes_(line_bytes) {}

    /// Union of what a body touches; `inner` are the loops of the subtree that enclose it.
    void cover(const NestNode& node, std::size_t depth,
               std::vector<std::pair<std::size_t, double>>& inner, ArrayBytes& bytes) const {
        if (const auto* loop = std::get_if<NestLoop>(&node)) {
            inner.emplace_back(depth, static_cast<double>(loop->extent));
            for (const NestNode& child : loop->body) cover(child, depth + 1, inner, bytes);
            inner.pop_back();
            return;
        }
        const auto& run = std::get<NestRun>(node);
        std::vector<Dimension> dimensions;
        for (const auto& [at, extent] : inner) {
            const double move =
                at < run.move.size() ? std::abs(static_cast<double>(run.move[at])) : 0;
            if (move > 0 && extent > 1) dimensions.push_back({move, extent});
        }
        const double whole =
            std::ceil(static_cast<double>(nest_.arrays[run.array].bytes) / line_bytes_) *
            line_bytes_;
        const double size = std::min(footprint(run, dimensions, line_bytes_), whole);
        const auto raise = [&](std::vector<double>& of) {
            of[run.array] = std::max(of[run.array], size);
        };
        if (run.kind == TouchKind::store_nt) {
            raise(bytes.non_temporal);
            return;
        }
        raise(bytes.touched);
        if (run.kind == TouchKind::store || run.kind == TouchKind::modify) raise(bytes.written);
    }

    [[nodiscard]] ArrayBytes empty() const { return ArrayBytes(nest_.arrays.size()); }

    /// Bytes that one execution of a loop brings into a cache of `capacity` bytes.
    [[nodiscard]] ArrayBytes traffic(const NestLoop& loop, std::size_t depth,
                                     double capacity) const {
        ArrayBytes body = empty(), whole = empty();
        std::vector<std::pair<std::size_t, double>> inner;
        for (const NestNode& child : loop.body) cover(child, depth + 1, inner, body);
        if (body.cached() <= capacity) {
            cover(loop, depth, inner, whole);
            return whole;
        }
        ArrayBytes sum = empty();
        for (const NestNode& child : loop.body) {
            if (const auto* deeper = std::get_if<NestLoop>(&child)) {
                sum.add(traffic(*deeper, depth + 1, capacity), static_cast<double>(loop.extent));
            } else {
                ArrayBytes once = empty();
                cover(child, depth + 1, inner, once);
                sum.add(once, static_cast<double>(loop.extent));
            }
        }
        return sum;
    }

    /// Line touches of the program, reads and writes.
    void touches(const NestNode& node, double times, double& loads, double& stores) const {
        if (const auto* loop = std::get_if<NestLoop>(&node)) {
            for (const NestNode& child : loop->body)
                touches(child, times * static_cast<double>(loop->extent), loads, stores);
            return;
        }
        const auto& run = std::get<NestRun>(node);
        const double lines = times * run.rows * std::ceil(run.bytes / line_bytes_);
        if (run.kind == TouchKind::load || run.kind == TouchKind::modify) loads += lines;
        if (run.kind == TouchKind::store || run.kind == TouchKind::modify) stores += lines;
    }

private:
    const LoopNest& nest_;
    double line_bytes_;
};

double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
}

/// What one level can hold for one thread: shared levels are divided among the threads that run,
/// exclusive ones add to the level above.
std::vector<double> usable_bytes(const HierarchySpec& spec) {
    std::vector<double> usable;
    for (const CacheSpec& level : spec.levels) {
        double bytes =
            static_cast<double>(level.capacity_bytes) / std::min(level.shared_by, spec.threads);
        if (level.inclusion == Inclusion::exclusive && !usable.empty()) bytes += usable.back();
        usable.push_back(bytes);
    }
    return usable;
}

/// Bytes read from below for one array: its lines, except store misses that evade the read.
double read_bytes(const ArrayBytes& bytes, std::size_t array, const CacheSpec& level) {
    return bytes.touched[array] - level.write_allocate_evasion * bytes.written[array];
}

double read_bytes(const ArrayBytes& bytes, const CacheSpec& level) {
    return sum(bytes.touched) - level.write_allocate_evasion * sum(bytes.written);
}

/// What becomes of written data. With W the distinct bytes that are written, G_i the lines that
/// would leave level i if it were emptied at the end, and H_i those that levels 1 to i still hold
/// then (a cache holds arrays in proportion to what they bring in, at most W),
///
///   written_i = G_i - H_i          dirty_i = H_i - H_(i-1)
///
/// so that written_i + dirty_i <= written_(i-1), what level i was given, and equal where no line
/// comes twice. G falls and H grows from level to level.
class WrittenData {
public:
    explicit WrittenData(std::vector<double> distinct)
        : distinct_(std::move(distinct)),
          leaving_(distinct_.size(), std::numeric_limits<double>::infinity()),
          held_(distinct_.size(), 0) {}

    struct Share {
        double written = 0, dirty = 0;
    };
    /// Of each array at the next level, which holds `usable` bytes of all threads.
    [[nodiscard]] std::vector<Share> next(const ArrayBytes& bytes, double usable) {
        std::vector<Share> shares(distinct_.size());
        const double in_proportion = usable / std::max(bytes.cached(), 1.0);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            leaving_[i] = std::max(distinct_[i], std::min(leaving_[i], bytes.written[i]));
            const double held =
                std::max(held_[i], std::min(distinct_[i], bytes.written[i] * in_proportion));
            shares[i] = {leaving_[i] - held, held - held_[i]};
            held_[i] = held;
        }
        return shares;
    }

private:
    std::vector<double> distinct_, leaving_, held_;
};

}  // namespace

Traffic analyse_nest(const LoopNest& nest, const HierarchySpec& spec) {
    check(spec);
    const double line_bytes = spec.levels.front().line_bytes;
    const Analysis analysis(nest, line_bytes);
    const std::vector<double> usable = usable_bytes(spec);
    Traffic out;
    out.method = TrafficMethod::analytic;
    out.origin = nest.name;
    out.machine = spec.name;
    out.threads = spec.threads;
    out.notes = spec.notes;
    double loads = 0, stores = 0;
    analysis.touches(nest.root, 1, loads, stores);
    out.touches = out.accesses = touches_of(nest, spec.levels.front().line_bytes);
    ArrayBytes last = analysis.empty(), all = analysis.empty();
    std::vector<std::pair<std::size_t, double>> loops;
    analysis.cover(nest.root, 0, loops, all);
    WrittenData written_data(all.written);
    double received = 0;
    for (std::size_t i = 0; i < spec.levels.size(); ++i) {
        const CacheSpec& level = spec.levels[i];
        const auto at = [&](double share) {
            return analysis.traffic(nest.root, 0, share * usable[i]);
        };
        const ArrayBytes middle = at(0.8), optimistic = at(1.5), pessimistic = at(0.6);
        LevelTraffic traffic;
        traffic.level = level.name;
        traffic.next_level =
            i + 1 < spec.levels.size() ? spec.levels[i + 1].name : spec.memory_name;
        LevelCounts& counts = traffic.counts;
        counts.read_bytes = read_bytes(middle, level);
        const double written = sum(middle.written), all_usable = spec.threads * usable[i];
        const auto shares = written_data.next(middle, all_usable);
        for (std::size_t a = 0; a < nest.arrays.size(); ++a) {
            counts.written_bytes += shares[a].written;
            counts.dirty_bytes += shares[a].dirty;
            traffic.regions.push_back(
                {nest.arrays[a].name, read_bytes(middle, a, level), shares[a].written});
        }
        counts.write_backs_in = received / line_bytes;
        received = counts.written_bytes;
        counts.loads = loads;
        counts.stores = stores;
        counts.load_misses = (middle.cached() - written) / line_bytes;
        counts.store_misses = written / line_bytes;
        counts.fills = counts.read_bytes / line_bytes;
        counts.write_backs = counts.written_bytes / line_bytes;
        loads = counts.load_misses;
        stores = counts.store_misses;
        traffic.read_bound = Band{read_bytes(optimistic, level), read_bytes(pessimistic, level)};
        traffic.written_bound =
            Band{std::max(0.0, sum(optimistic.written) - all_usable), sum(pessimistic.written)};
        out.levels.push_back(std::move(traffic));
        last = middle;
    }
    const LevelCounts& outermost = out.levels.back().counts;
    out.memory.name = spec.memory_name;
    out.memory.non_temporal_bytes = sum(last.non_temporal);
    out.memory.read_bytes = outermost.read_bytes;
    out.memory.written_bytes = outermost.written_bytes + out.memory.non_temporal_bytes;
    out.bound = "footprints held against 1.5 and 0.6 of the capacity; 0.8 gives the value";
    out.simulated_share = 0;
    return out;
}

}  // namespace ridge
