// The memory accesses of a straight piece of code, compiled once: where each goes is a register's
// value at the start of the piece plus a constant, so one execution is a handful of additions.
//
//   vmovups zmm0, [rdx]                     base rdx: + 0
//   vfmadd231ps zmm1, zmm0, [rsi + 4]{1to16}     rsi: + 4
//   add rsi, 64
//   vfmadd231ps zmm2, zmm0, [rsi + 4]{1to16}     rsi: + 68
//
// For the simulator the accesses become runs of distinct lines, in the order in which they are
// first touched, followed by the same lines in the order in which they are last touched as far as
// that differs. Where the lines of a piece fit side by side in every set, a cache with LRU
// replacement cannot tell the difference: between the first and the last touch everything hits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectors/tracer/instruction.hpp"
#include "ridge/trace.hpp"

namespace ridge::tracer {

struct Access {
    std::uint8_t base = 0;  ///< which of the segment's bases
    TouchKind kind = TouchKind::load;
    std::uint16_t bytes = 0;
    std::int64_t offset = 0;
};

class Segment {
public:
    static constexpr int most_bases = 8;
    /// Lines that may share one of 64 sets before a piece is replayed access by access: first-level
    /// caches of x86 have 64 sets of 8 or more ways.
    static constexpr int safe_ways = 8;

    using Values = std::array<std::uint64_t, most_bases>;

    /// Index of a base (its displacement is ignored), added when it is new; -1 when there is no
    /// room for another one.
    int base_of(const Address& address);
    void add(const Access& access);
    /// Bytes [low, high) relative to base `base` that vector stores may write; empty when none
    /// does.
    struct StoreRange {
        std::int64_t low = 0, high = 0;
    };
    [[nodiscard]] const std::array<StoreRange, most_bases>& store_ranges() const { return stores_; }

    [[nodiscard]] const std::vector<Address>& bases() const { return bases_; }
    [[nodiscard]] const std::vector<Access>& accesses() const { return accesses_; }
    /// Hands the runs of one execution to the buffer. `values` holds the bases' values.
    void emit(const Values& values, std::uint8_t thread, bool compressed, RunBuffer& out);

    bool scalar_accesses = false;  ///< holds accesses whose values the emulator follows
    bool vector_stores = false;

private:
    struct Template {
        LineRun run;  ///< line relative to the line of the base's value
        std::uint8_t base;
    };
    /// Runs for one alignment of the bases within their lines.
    struct Alignment {
        std::uint64_t key = 0;
        bool plain = false;  ///< too many lines share a set
        std::vector<Template> runs;
    };
    [[nodiscard]] std::unique_ptr<Alignment> align(std::uint64_t key) const;
    const Alignment& alignment(const Values& values);
    void emit_plain(const Values& values, std::uint8_t thread, RunBuffer& out) const;

    std::vector<Address> bases_;
    std::vector<Access> accesses_;
    std::array<StoreRange, most_bases> stores_{};
    std::vector<std::unique_ptr<Alignment>> alignments_;
    const Alignment* last_ = nullptr;
};

}  // namespace ridge::tracer
