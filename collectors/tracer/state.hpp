// Scalar state of one thread while a call is emulated: general-purpose registers, flags, mask
// registers, the low elements of vector registers where they matter, and memory.
//
// Everything carries a taint: "depends on data that is not followed". A tainted branch, address or
// mask cannot be emulated; a tainted value that nobody asks for does no harm.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "collectors/tracer/instruction.hpp"
#include "collectors/tracer/shadow_memory.hpp"

namespace ridge::tracer {

/// The flags, worked out only when somebody asks. Operands are sign-extended from the width of the
/// operation, which keeps the order of both signed and unsigned numbers.
struct Flags {
    enum class From : std::uint8_t { subtraction, addition, logic, given };
    From from = From::logic;
    bool tainted = false;
    std::int64_t a = 0, b = 0, result = 1;
    bool carry_given = false, overflow_given = false;

    void set(From how, std::int64_t left, std::int64_t right, std::int64_t outcome) {
        from = how;
        a = left;
        b = right;
        result = outcome;
        tainted = false;
    }
    /// Zero and sign from `outcome`, the others as given.
    void set_given(std::int64_t outcome, bool carry, bool overflow) {
        set(From::given, 0, 0, outcome);
        carry_given = carry;
        overflow_given = overflow;
    }
    [[nodiscard]] bool carry() const;
    [[nodiscard]] bool overflow() const;
    [[nodiscard]] bool zero() const { return result == 0; }
    [[nodiscard]] bool sign() const { return result < 0; }
    [[nodiscard]] bool parity() const;
    /// Condition as numbered in machine code.
    [[nodiscard]] bool holds(int condition) const;
};

/// The low 32-bit elements of a vector register: those of ymm.
struct LowLanes {
    std::array<std::uint32_t, 8> lane{};
    std::uint8_t known = 0;  ///< bit per lane
};

/// Elements that a vector register switches on by its sign bits.
struct ActiveLanes {
    bool known = false;
    std::uint64_t mask = 0;
};

class State {
public:
    std::array<std::uint64_t, no_register + 1> general{};  ///< the last one stays 0
    std::uint32_t tainted = 0;                             ///< bit per general-purpose register
    std::array<std::uint64_t, 8> mask{};
    std::uint8_t mask_tainted = 0xff;
    Flags flags;
    std::array<LowLanes, 32> lanes{};
    ShadowMemory memory;
    std::string failure;  ///< why emulation had to stop; empty while it goes on

    [[nodiscard]] std::uint64_t address(const Address& a) const {
        return general[a.base] + (general[a.index] << a.shift) +
               static_cast<std::uint64_t>(a.displacement);
    }
    [[nodiscard]] bool is_tainted(const Address& a) const {
        return ((tainted >> a.base) | (tainted >> a.index)) & 1;
    }
    void fail(const std::string& why) {
        if (failure.empty()) failure = why;
    }
    void taint(int number, bool value) {
        tainted = (tainted & ~(1U << number)) | (static_cast<std::uint32_t>(value) << number);
    }

    // One instruction each; operands as the decoder gave them.
    void scalar(const Instruction& instruction);
    void mask_instruction(const Instruction& instruction);
    void lane_effect(const Instruction& instruction);
    void lanes_to_general(const Instruction& instruction);
    void compare_lanes(const Instruction& instruction);
    /// Of elements of so many bytes, 4 or 8, of the register.
    [[nodiscard]] ActiveLanes active_lanes(const Operand& vector, int element_bytes) const;

    /// Value of an operand, zero-extended.
    [[nodiscard]] Loaded read(const Operand& operand);
    void write(const Operand& operand, std::uint64_t value, bool tainted);

private:
    void low_lanes(const Instruction& instruction);
    void arithmetic(const Instruction& instruction);
    void shift(const Instruction& instruction);
    void multiply(const Instruction& instruction);
    void divide(const Instruction& instruction);
    void count_bits(const Instruction& instruction);
    void exchange(const Instruction& instruction);
    void stack(const Instruction& instruction);
};

/// Lower `bytes` bytes of a value, sign-extended or zero-extended.
[[nodiscard]] std::int64_t sign_extend(std::uint64_t value, unsigned bytes);
[[nodiscard]] std::uint64_t zero_extend(std::uint64_t value, unsigned bytes);

}  // namespace ridge::tracer
