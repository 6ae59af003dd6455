// A basic block, compiled: the scalar operations that decide about addresses and branches, the
// segments of its memory accesses, and everything that can be counted once and multiplied by the
// number of executions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectors/tracer/code_map.hpp"
#include "collectors/tracer/instruction.hpp"
#include "collectors/tracer/segment.hpp"
#include "collectors/tracer/self_loop.hpp"
#include "ridge/kernel_counts.hpp"

namespace ridge::tracer {

/// What the emulator executes. Frequent 64-bit forms have codes of their own; the rest goes through
/// `scalar` and `mask` with the whole instruction.
enum class Code : std::uint8_t {
    segment,        ///< index: which
    masked_access,  ///< index: instruction
    tile,           ///< instruction of matrix registers; index: which
    add_immediate,  ///< a += value
    sub_immediate,
    compare_immediate,
    add_register,  ///< a += b
    compare_register,
    move_register,
    move_immediate,
    load_address,  ///< a = address of the memory operand; index: instruction
    load,          ///< 64 bits
    increment,
    decrement,
    scalar,
    mask,
    masked_work,       ///< arithmetic under mask a; index: instruction
    unknown_mask,      ///< k register a gets a value that depends on vectors
    unknown_register,  ///< general-purpose register a likewise
    unknown_flags,
    lanes,         ///< effect on the low elements of a vector register
    to_general,    ///< vector register to general-purpose register
    compare_lane,  ///< flags from two low elements
    wide,          ///< upper halves of vector registers get dirty
    legacy,        ///< legacy SSE instruction
    zero_upper,
    end,
};

struct MicroOp {
    Code code = Code::end;
    std::uint8_t a = 0, b = 0;
    std::uint32_t index = 0;
    std::int64_t value = 0;
};

enum class Ending : std::uint8_t {
    fall_through,
    branch,
    jump,
    jump_indirect,
    call,
    call_indirect,
    ret
};

struct Block {
    std::uint64_t address = 0, end = 0;
    const Function* function = nullptr;
    std::vector<MicroOp> operations;
    std::vector<Instruction> instructions;  ///< those that micro-operations refer to
    std::vector<std::unique_ptr<Segment>> segments;
    Ending ending = Ending::fall_through;
    Instruction last;    ///< branch, jump, call or ret
    bool entry = false;  ///< of a hooked function: running it natively enters the tracer again
    bool waits = false;  ///< holds a pause: a loop that waits for other threads

    std::uint64_t executions = 0;
    std::uint32_t instruction_count = 0;
    KernelCounts once;  ///< of one execution; without what depends on masks
    std::string
        unsupported;  ///< first instruction that the emulator cannot follow; it must not run

    std::unique_ptr<SelfLoop> loop;  ///< when it is one whose iterations can be taken together

    Block* taken = nullptr;  ///< successors, once they are known
    Block* next = nullptr;
};

/// Compiles the block that starts at `address` in `function`.
[[nodiscard]] std::unique_ptr<Block> compile_block(const Function& function, std::uint64_t address);

}  // namespace ridge::tracer
