// Loops of one block, many iterations at a time. Streaming kernels and the inner loops of matrix
// products are blocks that end in a jump to their own start, and each iteration changes registers
// by the same amounts:
//
//   top: vmovups zmm0, [rsi]        so the state before the last iteration follows from the state
//        vmaxps zmm0, zmm0, zmm1    after the first, and the accesses of 64 iterations are one
//        vmovups [rdi], zmm0        segment: 64 lines from rsi on and 64 from rdi on
//        add rsi, 64
//        add rdi, 64
//        dec rcx
//        jnz top
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collectors/tracer/segment.hpp"
#include "collectors/tracer/state.hpp"

namespace ridge::tracer {

struct Block;
struct MicroOp;

class SelfLoop {
public:
    /// Null for blocks that are no loop, and for loops whose iterations differ by more than
    /// constant steps.
    static std::unique_ptr<SelfLoop> of(const Block& block);

    /// Takes the steps from the state after an iteration whose branch was taken, and returns how
    /// many more follow whose branch is taken as well. 0 when that is not understood.
    [[nodiscard]] std::uint64_t iterations(const State& state, int condition);

    // After iterations(), for so many of them:
    /// Whether the stores of vectors may meet the stack of the call.
    [[nodiscard]] bool stores_to_stack(const State& state, std::uint64_t times) const;
    void emit(const State& state, std::uint64_t times, std::uint8_t thread, RunBuffer& out);
    void advance(State& state, std::uint64_t times) const;

private:
    enum class Flagged : std::uint8_t { difference, sum, result };
    struct Unrolled {
        int times;
        std::unique_ptr<Segment> segment;
    };

    bool follow(const Block& block);
    bool follow(const Block& block, const MicroOp& operation);
    bool add_segment(const Segment& segment);
    void unroll(const std::array<std::int64_t, Segment::most_bases>& steps);

    // Of one iteration.
    std::array<std::int64_t, no_register + 1> constant_{};  ///< added to registers
    std::array<bool, no_register + 1> set_{};               ///< given the same value each time
    std::array<bool, no_register + 1> followed_{};  ///< value at the start plus constant_ so far
    std::vector<std::pair<std::uint8_t, std::uint8_t>> added_;  ///< register b is added to a
    std::optional<Flagged> flags_;
    std::uint8_t flags_a_ = no_register, flags_b_ = no_register;
    Segment body_;

    // Of the latest state.
    std::array<std::int64_t, no_register + 1> steps_{};
    std::array<std::int64_t, Segment::most_bases> base_steps_{};
    std::vector<Unrolled> unrolled_;  ///< longest first
};

}  // namespace ridge::tracer
