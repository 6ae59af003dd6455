// Sampled mode. Lines with equal low bits meet only each other in every level, so each group of
// them is an independent, smaller simulation (constant-bits set sampling, Kessler, Hill and Wood,
// IEEE ToC 1994). m groups chosen at random among the C that the stream touches give
//
//   T = C/m sum t_c,   SE = C sqrt((1 - m/C) s^2 / m),   T +- t(0.975, m-1) SE.
//
// Groups that the stream never touches hold no traffic and are not in C: a stride that visits few
// groups is then simulated in full instead of being missed.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "model/cachesim/modes.hpp"
#include "model/cachesim/result.hpp"
#include "ridge/error.hpp"

namespace ridge::cachesim {
namespace {

/// 97.5 % quantile of Student's t (Abramowitz and Stegun, table 26.10); beyond 30 degrees of
/// freedom the expansion of its section 26.7.5 to first order.
double student_t(int degrees) {
    static constexpr std::array table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                      2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                      2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                      2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    if (degrees <= 30) return table[static_cast<std::size_t>(std::max(degrees, 1)) - 1];
    constexpr double z = 1.959964;
    return z + (z * z * z + z) / (4.0 * degrees);
}

class GroupSampler final : public RunSink {
public:
    GroupSampler(const HierarchySpec& spec, const TraceInfo& info, int wanted, std::uint64_t seed)
        : spec_(spec),
          info_(info),
          groups_(group_count(spec)),
          shift_(std::countr_zero(groups_)),
          wanted_(static_cast<std::size_t>(wanted)) {
        info_.regions.clear();
        std::vector<int> order(groups_);
        std::iota(order.begin(), order.end(), 0);
        std::mt19937_64 random(seed);
        // Fisher-Yates by hand: std::shuffle differs between libraries.
        for (std::size_t i = order.size() - 1; i > 0; --i)
            std::swap(order[i], order[random() % (i + 1)]);
        priority_ = order;
        simulations_.resize(groups_);
    }

    void consume(std::span<const LineRun> chunk) override {
        for (const LineRun& run : chunk) {
            accesses_ += static_cast<double>(run.count) * run.repeats;
            touches_ += run.count;
            split(run);
        }
    }

    void finish() {
        for (auto& one : simulations_)
            if (one) one->buffer.flush(), one->hierarchy.finish();
    }
    void clear_counts() {
        for (auto& one : simulations_)
            if (one) one->hierarchy.clear_counts();
        accesses_ = touches_ = simulated_ = 0;
    }

    [[nodiscard]] Traffic estimate() const;

private:
    /// One group with the runs that wait for it.
    struct Group {
        Group(const HierarchySpec& spec, const TraceInfo& info, std::uint64_t groups)
            : hierarchy(spec, info, GroupShare{groups}), buffer(hierarchy) {}
        Hierarchy hierarchy;
        RunBuffer buffer;
    };

    /// Touches that straddle lines become one run per line.
    void split(const LineRun& run) {
        int first = run.offset;
        std::uint64_t ahead = 0;
        for (int rest = run.bytes; rest > 0; ++ahead) {
            LineRun part = run;
            part.line += ahead;
            part.offset = static_cast<std::uint16_t>(first);
            const int length = std::min(rest, info_.line_bytes - first);
            part.bytes = static_cast<std::uint16_t>(length);
            distribute(part);
            rest -= length;
            first = 0;
        }
    }

    /// The touches of a run that fall into one group form a run again: with g = gcd(stride, C)
    /// every C/g-th touch is in the same group.
    void distribute(const LineRun& run) {
        const auto c = static_cast<std::int64_t>(groups_);
        const std::int64_t g = run.stride == 0 ? c : std::gcd(std::int64_t{run.stride}, c);
        const std::int64_t period = c / g;
        const std::int64_t starts = std::min<std::int64_t>(period, run.count);
        for (std::int64_t j = 0; j < starts; ++j) {
            const std::uint64_t line = run.line + static_cast<std::uint64_t>(j * run.stride);
            Group* group = simulation(line & (groups_ - 1));
            if (!group) continue;
            LineRun part = run;
            part.line = line >> shift_;
            part.stride = static_cast<std::int32_t>(run.stride * period / c);
            part.count = static_cast<std::uint32_t>((run.count - j + period - 1) / period);
            simulated_ += part.count;
            group->buffer.push(part);
        }
    }

    /// Keeps the groups of best priority among those seen. A group is seen at its first touch, so
    /// one that comes in late has no past that was missed.
    Group* simulation(std::uint64_t group) {
        const std::uint64_t bit = std::uint64_t{1} << group;
        if (!(seen_ & bit)) {
            seen_ |= bit;
            if (kept_.size() == wanted_) {
                auto worst = std::max_element(kept_.begin(), kept_.end(),
                                              [this](std::uint64_t a, std::uint64_t b) {
                                                  return priority_[a] < priority_[b];
                                              });
                if (priority_[*worst] < priority_[group]) return nullptr;
                simulations_[*worst].reset();
                kept_.erase(worst);
            }
            kept_.push_back(group);
            simulations_[group] = std::make_unique<Group>(spec_, info_, groups_);
        }
        return simulations_[group].get();
    }

    HierarchySpec spec_;
    TraceInfo info_;
    std::uint64_t groups_;
    int shift_;
    std::size_t wanted_;
    std::vector<int> priority_;
    std::vector<std::unique_ptr<Group>> simulations_;  ///< by group; null when not kept
    std::vector<std::uint64_t> kept_;
    std::uint64_t seen_ = 0;
    double accesses_ = 0, touches_ = 0, simulated_ = 0;
};

Band interval(const std::vector<double>& values, double population) {
    const auto m = static_cast<double>(values.size());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    const double mean = sum / m;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double estimate = population * mean;
    if (values.size() < 2 || m >= population) return {estimate, estimate};
    const double variance = squares / (m - 1);
    const double error = population * std::sqrt((1 - m / population) * variance / m);
    const double half = student_t(static_cast<int>(values.size()) - 1) * error;
    // What the sampled groups moved is a certain part of the whole.
    return {std::max(estimate - half, sum), estimate + half};
}

Traffic GroupSampler::estimate() const {
    std::vector<Traffic> parts;
    for (const std::uint64_t group : kept_)
        parts.push_back(result_of(simulations_[group]->hierarchy, spec_, info_));
    const auto population = static_cast<double>(std::popcount(seen_));
    if (parts.empty()) return result_of(Hierarchy(spec_, info_), spec_, info_);
    Traffic total = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
        combine(total, parts[i], [](double& a, double b) { a += b; });
    const double scale = population / static_cast<double>(parts.size());
    combine(total, total, [scale](double& a, double) { a *= scale; });
    for (std::size_t level = 0; level < total.levels.size(); ++level) {
        std::vector<double> reads, writes;
        for (const Traffic& part : parts) {
            reads.push_back(part.levels[level].counts.read_bytes);
            writes.push_back(part.levels[level].counts.written_bytes);
        }
        total.levels[level].read_bound = interval(reads, population);
        total.levels[level].written_bound = interval(writes, population);
    }
    total.accesses = accesses_;
    total.touches = touches_;
    total.simulated_share = touches_ > 0 ? simulated_ / touches_ : 1;
    total.bound = fmt::format("95 % confidence interval from {} of {} groups of lines",
                              parts.size(), std::popcount(seen_));
    return total;
}

}  // namespace

Traffic simulate_sampled(RunSource& source, const HierarchySpec& spec,
                         const SimulateOptions& options) {
    if (!can_sample(spec))
        throw bad_input(spec.name.empty() ? "machine" : spec.name,
                        "a power of two of at least 8 common to the sets of all levels, which "
                        "sampling needs",
                        std::to_string(group_count(spec)));
    if (options.sampled_groups < 2 || options.sampled_groups > 64)
        throw bad_input("sampled groups", "2 to 64", std::to_string(options.sampled_groups));
    if (spec.convention == Convention::cachegrind)
        throw bad_input("--mode", "exact with Cachegrind's conventions", "sampled");
    GroupSampler sampler(spec, source.info(), options.sampled_groups, options.seed);
    prepare(source, sampler, options.protocol, spec);
    if (options.protocol != CacheState::cold) {
        sampler.finish();
        sampler.clear_counts();
    }
    source.replay(sampler);
    sampler.finish();
    Traffic out = sampler.estimate();
    out.method = TrafficMethod::sampled;
    if (!source.info().regions.empty())
        out.notes.push_back("traffic per tensor needs the exact or periodic mode");
    return out;
}

}  // namespace ridge::cachesim

namespace ridge {

bool can_sample(const HierarchySpec& spec) {
    return cachesim::group_count(spec) >= 8;
}

}  // namespace ridge
