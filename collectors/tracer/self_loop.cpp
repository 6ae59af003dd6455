#include "collectors/tracer/self_loop.hpp"

#include <algorithm>
#include <bit>

#include "collectors/tracer/block.hpp"

namespace ridge::tracer {
namespace {

/// Accesses of iterations that are taken together: enough for runs of many lines, and few enough
/// for their lines to fit side by side in a set.
constexpr std::size_t most_accesses = 256;
constexpr std::size_t most_iterations = 64;
/// Numbers that are compared lie below this, so that steps towards each other do not wrap.
constexpr std::int64_t far = std::int64_t{1} << 62;

/// `condition` (as in machine code) holds for the number x = x0. How many steps it goes on
/// holding; 0 when x never leaves it that way.
std::uint64_t steps_while(int condition, std::int64_t x, std::int64_t step) {
    constexpr int not_zero = 5, below = 2, below_or_equal = 6, sign = 8, less = 12, not_more = 14;
    const auto count = [](std::int64_t distance, std::int64_t by) {
        return static_cast<std::uint64_t>(distance / by);
    };
    switch (condition) {
        case not_zero:
            if (step == 0 || x % step != 0 || -x / step <= 0) return 0;
            return count(-x, step) - 1;
        case below:
        case sign:
        case less:
            return step > 0 && x < 0 ? count(-x - 1, step) : 0;
        case below_or_equal:
        case not_more:
            return step > 0 && x <= 0 ? count(-x, step) : 0;
        case below + 1:
        case sign + 1:
        case less + 1:
            return step < 0 && x >= 0 ? count(x, -step) : 0;
        case below_or_equal + 1:
        case not_more + 1:
            return step < 0 && x > 0 ? count(x - 1, -step) : 0;
        default:
            return 0;
    }
}

bool by_order(int condition) {
    return condition >= 2 && condition != 4 && condition != 5 && condition != 8 && condition != 9;
}
bool is_unsigned(int condition) {
    return condition == 2 || condition == 3 || condition == 6 || condition == 7;
}

}  // namespace

std::unique_ptr<SelfLoop> SelfLoop::of(const Block& block) {
    if (block.ending != Ending::branch || block.last.target != block.address || block.waits ||
        !block.unsupported.empty())
        return nullptr;
    auto loop = std::make_unique<SelfLoop>();
    return loop->follow(block) ? std::move(loop) : nullptr;
}

bool SelfLoop::follow(const Block& block) {
    followed_.fill(true);
    for (const MicroOp& operation : block.operations)
        if (!follow(block, operation)) return false;
    // What is added must itself stay the same.
    for (const auto& [to, from] : added_)
        if (constant_[from] != 0 || set_[from] ||
            std::any_of(added_.begin(), added_.end(),
                        [from = from](const auto& other) { return other.first == from; }))
            return false;
    return flags_.has_value();
}

bool SelfLoop::follow(const Block& block, const MicroOp& operation) {
    const std::uint8_t a = operation.a, b = operation.b;
    const auto flags = [&](Flagged how, std::uint8_t left, std::uint8_t right) {
        flags_ = how;
        flags_a_ = left;
        flags_b_ = right;
        return true;
    };
    switch (operation.code) {
        case Code::end:
        case Code::wide:
        case Code::legacy:
        case Code::zero_upper:
        case Code::masked_work:
        case Code::unknown_mask:
            return true;
        case Code::segment:
            return add_segment(*block.segments[operation.index]);
        case Code::add_immediate:
            constant_[a] += operation.value;
            return flags(Flagged::sum, a, no_register);
        case Code::sub_immediate:
            constant_[a] -= operation.value;
            return flags(Flagged::difference, a, no_register);
        case Code::increment:
            ++constant_[a];
            return flags(Flagged::result, a, no_register);
        case Code::decrement:
            --constant_[a];
            return flags(Flagged::result, a, no_register);
        case Code::compare_immediate:
            return flags(Flagged::difference, a, no_register);
        case Code::compare_register:
            return flags(Flagged::difference, a, b);
        case Code::add_register:
            if (a == b) return false;
            added_.emplace_back(a, b);
            followed_[a] = false;
            return flags(Flagged::sum, a, b);
        case Code::move_immediate:
            set_[a] = true;
            followed_[a] = false;
            return true;
        default:
            return false;
    }
}

bool SelfLoop::add_segment(const Segment& segment) {
    for (const Access& access : segment.accesses()) {
        const Address& from = segment.bases()[access.base];
        if (!followed_[from.base] || !followed_[from.index]) return false;
        const int base = body_.base_of(from);
        if (base < 0) return false;
        Access here = access;
        here.base = static_cast<std::uint8_t>(base);
        here.offset += constant_[from.base] +
                       static_cast<std::int64_t>(static_cast<std::uint64_t>(constant_[from.index])
                                                 << from.shift);
        body_.add(here);
    }
    return !segment.scalar_accesses;
}

std::uint64_t SelfLoop::iterations(const State& state, int condition) {
    const auto tainted = [&](std::uint8_t number) { return (state.tainted >> number) & 1U; };
    if (state.flags.tainted) return 0;
    steps_ = constant_;
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (set_[i]) steps_[i] = 0;
    for (const auto& [to, from] : added_) {
        if (tainted(from)) return 0;
        if (!set_[to]) steps_[to] += static_cast<std::int64_t>(state.general[from]);
    }
    std::array<std::int64_t, Segment::most_bases> base_steps{};
    for (std::size_t i = 0; i < body_.bases().size(); ++i) {
        const Address& base = body_.bases()[i];
        if (state.is_tainted(base)) return 0;
        base_steps[i] =
            steps_[base.base] +
            static_cast<std::int64_t>(static_cast<std::uint64_t>(steps_[base.index]) << base.shift);
    }
    if (unrolled_.empty() || base_steps != base_steps_) unroll(base_steps);

    const Flags& flags = state.flags;
    std::int64_t x = flags.result, step = steps_[flags_a_];
    if (by_order(condition)) {
        const bool ordered =
            *flags_ == Flagged::difference && std::max(std::abs(flags.a), std::abs(flags.b)) < far;
        if (!ordered || (is_unsigned(condition) && (flags.a < 0 || flags.b < 0))) return 0;
        if (is_unsigned(condition) && (step < 0 || steps_[flags_b_] < 0)) {
            // Past zero an unsigned number is the largest: the border must come before.
            if (steps_[flags_b_] != 0 || flags.b < -step) return 0;
        }
        x = flags.a - flags.b;
    }
    if (*flags_ == Flagged::difference) step -= steps_[flags_b_];
    if (x <= -far || x >= far || step <= -far || step >= far) return 0;
    return steps_while(condition, x, step);
}

void SelfLoop::unroll(const std::array<std::int64_t, Segment::most_bases>& steps) {
    base_steps_ = steps;
    unrolled_.clear();
    const std::size_t accesses = std::max<std::size_t>(body_.accesses().size(), 1);
    std::size_t times =
        std::bit_floor(std::clamp<std::size_t>(most_accesses / accesses, 1, most_iterations));
    for (;; times = std::max<std::size_t>(times / 4, 1)) {
        unrolled_.push_back(
            {static_cast<int>(times), body_.unrolled(static_cast<int>(times), base_steps_)});
        if (times == 1) return;
    }
}

bool SelfLoop::stores_to_stack(const State& state, std::uint64_t times) const {
    for (std::size_t i = 0; i < body_.bases().size(); ++i) {
        const auto& range = body_.store_ranges()[i];
        if (range.low == range.high) continue;
        const std::int64_t way = base_steps_[i] * static_cast<std::int64_t>(times);
        const std::int64_t low = range.low + std::min<std::int64_t>(way, 0);
        const std::int64_t high = range.high + std::max<std::int64_t>(way, 0);
        if (state.memory.meets_stack(
                state.address(body_.bases()[i]) + static_cast<std::uint64_t>(low),
                static_cast<std::uint64_t>(high - low)))
            return true;
    }
    return false;
}

void SelfLoop::emit(const State& state, std::uint64_t times, std::uint8_t thread, RunBuffer& out) {
    if (body_.accesses().empty()) return;
    Segment::Values values{};
    for (std::size_t i = 0; i < body_.bases().size(); ++i)
        values[i] = state.address(body_.bases()[i]);
    while (times > 0) {
        for (const Unrolled& piece : unrolled_) {
            if (static_cast<std::uint64_t>(piece.times) > times) continue;
            if (piece.times == 1)
                piece.segment->emit(values, thread, true, out);
            else if (!piece.segment->emit_lines(values, thread, out))
                continue;
            times -= static_cast<std::uint64_t>(piece.times);
            for (std::size_t i = 0; i < body_.bases().size(); ++i)
                values[i] += static_cast<std::uint64_t>(base_steps_[i] * piece.times);
            break;
        }
    }
}

void SelfLoop::advance(State& state, std::uint64_t times) const {
    for (std::size_t i = 0; i < no_register; ++i)
        state.general[i] += static_cast<std::uint64_t>(steps_[i]) * times;
}

}  // namespace ridge::tracer
