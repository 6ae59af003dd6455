#include "model/cachesim/nest_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ridge {
namespace cachesim {
namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

/// Collects, over all runs, how the root moves each array and for how many of its iterations no run
/// reaches the end of its array, where the last of equal parts is cut short.
class RootMoves {
public:
    explicit RootMoves(const LoopNest& nest)
        : nest_(nest), moves_(nest.arrays.size()), extents_{nest.root.extent} {
        body(nest.root);
    }

    [[nodiscard]] bool alike() const { return alike_; }
    [[nodiscard]] std::int64_t whole_iterations() const { return whole_; }
    /// Bytes per iteration; 0 for an array that is not touched.
    [[nodiscard]] std::int64_t move(std::size_t array) const { return moves_[array].value_or(0); }

private:
    void body(const NestLoop& loop) {
        for (const NestNode& node : loop.body) {
            if (const auto* inner = std::get_if<NestLoop>(&node)) {
                extents_.push_back(inner->extent);
                body(*inner);
                extents_.pop_back();
            } else {
                take(std::get<NestRun>(node));
            }
        }
    }

    void take(const NestRun& run) {
        const std::int64_t move = run.move.empty() ? 0 : run.move[0];
        std::optional<std::int64_t>& known = moves_[run.array];
        const bool guarded = run.guard && !run.guard->step.empty() && run.guard->step[0] != 0;
        if (guarded || move < 0 || (known && *known != move)) alike_ = false;
        known = move;
        if (move <= 0) return;
        std::int64_t reach = run.offset + run.bytes;
        if (run.pitch > 0) reach += (run.rows - 1) * run.pitch;
        for (std::size_t d = 1; d < std::min(run.move.size(), extents_.size()); ++d)
            reach += std::max<std::int64_t>(run.move[d], 0) * (extents_[d] - 1);
        const std::int64_t rest = static_cast<std::int64_t>(nest_.arrays[run.array].bytes) - reach;
        whole_ = std::min(whole_, rest < 0 ? 0 : rest / move + 1);
    }

    const LoopNest& nest_;
    std::vector<std::optional<std::int64_t>> moves_;
    std::vector<std::int64_t> extents_;
    std::int64_t whole_ = endless;
    bool alike_ = true;
};

double touches_of(const NestLoop& loop, double line_bytes) {
    double sum = 0;
    for (const NestNode& node : loop.body) {
        if (const auto* inner = std::get_if<NestLoop>(&node)) {
            sum += touches_of(*inner, line_bytes);
        } else {
            const auto& run = std::get<NestRun>(node);
            sum += run.rows * std::ceil(run.bytes / line_bytes);
        }
    }
    return static_cast<double>(loop.extent) * sum;
}

}  // namespace

std::int64_t share_of(const LoopNest& nest, int threads) {
    return (nest.root.extent + threads - 1) / threads;
}

std::optional<OuterLoop> uniform_loop(const LoopNest& nest, int line_bytes, int threads) {
    const RootMoves moves(nest);
    if (!moves.alike()) return std::nullopt;
    OuterLoop loop;
    const std::int64_t share = share_of(nest, threads);
    loop.iterations = static_cast<std::uint64_t>(share);
    // All threads must be within what is whole.
    const std::int64_t whole =
        std::min(moves.whole_iterations(), nest.root.extent) - (threads - 1) * share;
    loop.uniform = static_cast<std::uint64_t>(std::clamp<std::int64_t>(whole, 0, share));
    for (std::size_t i = 0; i < nest.arrays.size(); ++i)
        loop.step = std::lcm(loop.step,
                             static_cast<std::uint64_t>(
                                 line_bytes / std::gcd(std::int64_t{line_bytes}, moves.move(i))));
    for (std::size_t i = 0; i < nest.arrays.size(); ++i)
        loop.shift.push_back(static_cast<std::int64_t>(loop.step) * moves.move(i) / line_bytes);
    return loop;
}

}  // namespace cachesim

double touches_of(const LoopNest& nest, int line_bytes) {
    return cachesim::touches_of(nest.root, line_bytes);
}

}  // namespace ridge
