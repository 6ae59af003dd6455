// One instruction as the tracer sees it: what it does to scalar state, where it touches memory, and
// what it counts as. The decoder makes these from machine code; nothing else knows the decoding
// library.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ridge/kernel_counts.hpp"
#include "ridge/layer.hpp"

namespace ridge::tracer {

/// General-purpose registers have their numbers in machine code: rax 0, rsp 4, r15 15.
inline constexpr int register_rax = 0, register_rdx = 2, register_rsp = 4;
/// Stands for a missing base or index: reads as 0.
inline constexpr int no_register = 16;

/// base + (index << shift) + displacement. Addresses relative to the instruction pointer are
/// displacements only.
struct Address {
    std::uint8_t base = no_register, index = no_register, shift = 0;
    std::int64_t displacement = 0;
    bool operator==(const Address&) const = default;
};

enum class OperandKind : std::uint8_t {
    none,
    general,
    high_byte,
    mask,
    vector,
    tile,
    immediate,
    memory
};

struct Operand {
    OperandKind kind = OperandKind::none;
    std::uint8_t number = 0;  ///< of the register
    std::uint16_t bytes = 0;
    std::int64_t immediate = 0;
    Address address;
    bool read = false, written = false;
};

/// What the emulator has to do. Vector arithmetic is `vector`: nothing, as far as scalar state is
/// concerned.
enum class Operation : std::uint8_t {
    unsupported,
    nothing,
    // Control.
    branch,
    jump,
    call,
    ret,
    pause,
    // Scalar.
    mov,
    movzx,
    movsx,
    lea,
    add,
    adc,
    sub,
    sbb,
    cmp,
    test,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    neg,
    inc,
    dec,
    shl,
    shr,
    sar,
    shlx,
    shrx,
    sarx,
    imul,
    mul,
    div,
    idiv,
    cdq,
    cqo,
    cdqe,
    push,
    pop,
    xchg,
    xadd,
    bsf,
    tzcnt,
    lzcnt,
    popcnt,
    bzhi,
    andn,
    blsr,
    set,
    cmov,
    // Mask registers.
    kmov,
    kand,
    kandn,
    kor,
    kxor,
    kxnor,
    knot,
    kadd,
    kshiftl,
    kshiftr,
    kortest,
    ktest,
    // Vector registers.
    vector,
    prefetch,
    zero_upper,
    general_to_vector,  ///< movd, movq, pinsr
    vector_to_general,  ///< movd, movq, pextr; other ways leave the register unknown
    compare_lane,       ///< ucomiss, comiss: vector values decide about flags
    flags_from_vector,  ///< ptest and the like
    // Matrix registers (AMX).
    tile_configure,
    tile_release,
    tile_move,     ///< rows of a matrix from or to memory, or zero
    tile_product,  ///< also counts
};

/// What can be said about the low elements of a vector register after an instruction, in functions
/// that bring vector values back into scalar state.
enum class LaneEffect : std::uint8_t {
    none,     ///< writes no vector register
    unknown,  ///< arithmetic
    zero,     ///< xor with itself
    ones,     ///< compare equal with itself
    copy,     ///< of another register
    load,     ///< of a scalar or vector from memory
    broadcast_load,
    broadcast,
    general,  ///< from a general-purpose register
    insert,   ///< of a general-purpose register into one quadword
    shift_left,
    shift_right,  ///< each 32-bit lane by an immediate
};

struct Instruction {
    std::uint64_t address = 0;
    std::uint8_t length = 0;
    Operation operation = Operation::unsupported;
    std::uint8_t condition = 0;  ///< as in machine code: 4 is "zero", odd ones are negations
    std::uint8_t operand_count = 0;
    std::array<Operand, 5> operands;  ///< without mask; destination first
    std::uint64_t target = 0;         ///< of a direct branch, jump or call
    bool direct = false;
    bool locked = false;

    // Counting.
    InstructionClass kind = InstructionClass::other;
    VectorWidth width = VectorWidth::none;
    std::uint8_t lanes = 0;  ///< of the arithmetic
    std::uint8_t flops_per_lane = 0;
    std::uint8_t integer_ops_per_lane = 0;
    DataType type = DataType::f32;

    // Vectors.
    std::uint8_t mask = 0;          ///< k register that predicates it; 0: none
    std::uint8_t mask_element = 4;  ///< bytes of memory per bit of the mask
    bool broadcast = false;         ///< memory operand is one element for all lanes
    bool non_temporal = false;
    bool indexed = false;        ///< gather or scatter
    bool vector_mask = false;    ///< predicated by a vector register (vmaskmov), operand 1
    bool legacy_sse = false;     ///< not VEX or EVEX encoded, and uses vector registers
    bool dirties_upper = false;  ///< writes the upper half of ymm0 to ymm15
    LaneEffect lanes_after = LaneEffect::none;
    std::string name;  ///< mnemonic, for messages
};

}  // namespace ridge::tracer
