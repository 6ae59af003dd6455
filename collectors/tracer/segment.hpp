// The memory accesses of a straight piece of code, compiled once: where each goes is a register's
// value at the start of the piece plus a constant, so one execution is a handful of additions.
//
//   vmovups zmm0, [rdx]                     base rdx: + 0
//   vfmadd231ps zmm1, zmm0, [rsi + 4]{1to16}     rsi: + 4
//   add rsi, 64
//   vfmadd231ps zmm2, zmm0, [rsi + 4]{1to16}     rsi: + 68
//
// What the simulator gets to see depends on where the bases lie relative to lines and sets
// (access_lines.hpp); it is worked out once for each constellation that occurs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectors/tracer/access_lines.hpp"
#include "collectors/tracer/instruction.hpp"
#include "ridge/trace.hpp"

namespace ridge::tracer {

class Segment {
public:
    static constexpr int most_bases = 16;

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
    /// The same, but only where runs of lines can stand for the accesses; false elsewhere.
    [[nodiscard]] bool emit_lines(const Values& values, std::uint8_t thread, RunBuffer& out);
    /// `times` executions, one after the other, while the bases move by `steps` each time.
    [[nodiscard]] std::unique_ptr<Segment> unrolled(int times,
                                                    std::span<const std::int64_t> steps) const;

    bool scalar_accesses = false;  ///< holds accesses whose values the emulator follows
    bool vector_stores = false;

private:
    /// Constellation of the bases. Those that share their base register with an earlier one, the
    /// leader, count by the exact distance to it; leaders count by their place within a line, and
    /// by their set relative to that of the first one.
    struct Key {
        std::array<std::uint64_t, most_bases> word{};
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const;
    };
    struct Alignment {
        bool plain = false;  ///< every access has to be told
        std::vector<RunTemplate> runs;
    };
    static constexpr std::size_t most_alignments = 1024;

    [[nodiscard]] Key key_of(const Values& values) const;
    [[nodiscard]] const Alignment& alignment(const Values& values);
    [[nodiscard]] const AccessLines& lines(Key key);
    void emit_plain(const Values& values, std::uint8_t thread, RunBuffer& out) const;

    std::vector<Address> bases_;
    std::array<std::uint8_t, most_bases> leader_{};
    std::vector<Access> accesses_;
    std::array<StoreRange, most_bases> stores_{};
    std::unordered_map<Key, std::unique_ptr<AccessLines>, KeyHash> lines_;
    std::unordered_map<Key, std::unique_ptr<Alignment>, KeyHash> alignments_;
    const Alignment* last_ = nullptr;
    Key last_key_;
};

}  // namespace ridge::tracer
