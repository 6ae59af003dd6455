// One pass, all capacities: the stack distance of a touch is the number of distinct lines since the
// last touch of its line; a fully associative LRU cache of more lines hits, any other misses
// (Mattson et al., IBM Systems Journal 1970). Distances come from a Fenwick tree over touch times
// (Bennett and Kruskal 1975), bounded by the largest capacity of interest (as PARDA does): times
// are renumbered when they run out, and lines older than the bound are forgotten.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ridge/cachesim.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

class StackDistances {
public:
    StackDistances(std::uint64_t most_lines, std::vector<std::uint64_t> capacities_lines)
        : most_lines_(most_lines),
          capacities_(std::move(capacities_lines)),
          hits_from_(capacities_.size() + 1, 0),
          tree_(2 * most_lines + 2, 0),
          line_at_(2 * most_lines + 2, 0) {
        times_.reserve(most_lines + 1);
    }

    void touch(std::uint64_t line) {
        ++touches_;
        if (now_ + 1 == tree_.size()) renumber();
        const auto found = times_.find(line);
        if (found != times_.end()) {
            // Lines touched after the last touch of this one, and itself.
            const std::uint64_t distance = times_.size() - before(found->second);
            const auto capacity =
                std::lower_bound(capacities_.begin(), capacities_.end(), distance);
            ++hits_from_[static_cast<std::size_t>(capacity - capacities_.begin())];
            add(found->second, -1);
        } else if (times_.size() == most_lines_) {
            forget_oldest();
        }
        ++now_;
        times_[line] = now_;
        line_at_[now_] = line;
        add(now_, 1);
    }

    /// Misses at capacity index c: touches whose distance reaches it.
    [[nodiscard]] double misses(std::size_t c) const {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i <= c; ++i) hits += hits_from_[i];
        return static_cast<double>(touches_ - hits);
    }

private:
    void add(std::size_t time, int by) {
        for (; time < tree_.size(); time += time & (~time + 1))
            tree_[time] = static_cast<std::uint32_t>(static_cast<int>(tree_[time]) + by);
    }
    /// Lines whose last touch lies before `time`.
    [[nodiscard]] std::uint64_t before(std::size_t time) const {
        std::uint64_t sum = 0;
        for (--time; time > 0; time &= time - 1) sum += tree_[time];
        return sum;
    }

    void forget_oldest() {
        for (; oldest_ <= now_; ++oldest_) {
            const auto found = times_.find(line_at_[oldest_]);
            if (found == times_.end() || found->second != oldest_) continue;
            add(oldest_, -1);
            times_.erase(found);
            return;
        }
    }

    void renumber() {
        std::size_t next = 0;
        for (std::size_t time = 1; time <= now_; ++time) {
            const auto found = times_.find(line_at_[time]);
            if (found == times_.end() || found->second != time) continue;
            found->second = ++next;
            line_at_[next] = line_at_[time];
        }
        std::fill(tree_.begin(), tree_.end(), 0);
        now_ = next;
        for (std::size_t time = 1; time <= now_; ++time) add(time, 1);
        oldest_ = 1;
    }

    std::uint64_t most_lines_;
    std::vector<std::uint64_t> capacities_;
    /// Touches that hit from capacity i on and in none below; the last entry in none at all.
    std::vector<std::uint64_t> hits_from_;
    std::vector<std::uint32_t> tree_;
    std::vector<std::uint64_t> line_at_;  ///< by time
    std::unordered_map<std::uint64_t, std::size_t> times_;
    std::size_t now_ = 0, oldest_ = 1;
    std::uint64_t touches_ = 0;
};

}  // namespace

struct MissRatioCurve::Impl {
    Impl(int line, std::vector<std::uint64_t> bytes, const std::vector<std::uint64_t>& lines)
        : line_bytes(line), capacities_bytes(std::move(bytes)), distances(lines.back(), lines) {}

    /// A touch that straddles lines is a touch of each, a modify a load and a store, as in the
    /// first level of a hierarchy.
    void touch(const LineRun& run) {
        const int lines = (run.offset + run.bytes - 1) / line_bytes + 1;
        for (std::uint32_t i = 0; i < run.count; ++i) {
            const std::uint64_t first =
                run.line + static_cast<std::uint64_t>(static_cast<std::int64_t>(run.stride) * i);
            for (int ahead = 0; ahead < lines; ++ahead)
                distances.touch(first + static_cast<std::uint64_t>(ahead));
        }
        accesses += static_cast<double>(run.count) * lines * run.repeats *
                    (run.kind == TouchKind::modify ? 2 : 1);
    }

    int line_bytes;
    std::vector<std::uint64_t> capacities_bytes;
    StackDistances distances;
    double accesses = 0;
};

MissRatioCurve::MissRatioCurve(int line_bytes, std::vector<std::uint64_t> capacities_bytes) {
    const auto line = static_cast<std::uint64_t>(line_bytes);
    if (capacities_bytes.empty() ||
        !std::is_sorted(capacities_bytes.begin(), capacities_bytes.end()) ||
        capacities_bytes.front() < line)
        throw bad_input("capacities", "ascending sizes of at least one line", "others");
    std::vector<std::uint64_t> lines;
    for (const std::uint64_t bytes : capacities_bytes) lines.push_back(bytes / line);
    impl_ = std::make_unique<Impl>(line_bytes, std::move(capacities_bytes), lines);
}

MissRatioCurve::~MissRatioCurve() = default;

void MissRatioCurve::consume(std::span<const LineRun> chunk) {
    for (const LineRun& run : chunk)
        if (run.kind == TouchKind::load || run.kind == TouchKind::store ||
            run.kind == TouchKind::modify)
            impl_->touch(run);
}

std::vector<MissRatioPoint> MissRatioCurve::points() const {
    std::vector<MissRatioPoint> curve;
    for (std::size_t i = 0; i < impl_->capacities_bytes.size(); ++i) {
        const double misses = impl_->distances.misses(i);
        curve.push_back({impl_->capacities_bytes[i], misses,
                         impl_->accesses > 0 ? misses / impl_->accesses : 0});
    }
    return curve;
}

std::vector<MissRatioPoint> miss_ratio_curve(RunSource& source,
                                             const std::vector<std::uint64_t>& capacities_bytes) {
    MissRatioCurve curve(source.info().line_bytes, capacities_bytes);
    source.replay(curve);
    return curve.points();
}

}  // namespace ridge
