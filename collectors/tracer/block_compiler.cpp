#include <algorithm>
#include <array>
#include <optional>

#include "collectors/tracer/block.hpp"
#include "collectors/tracer/block_counts.hpp"
#include "collectors/tracer/decoder.hpp"

namespace ridge::tracer {
namespace {

/// Straight code without end: data, or a program that is not one.
constexpr int most_instructions = 200000;

bool writes_general(const Instruction& i, int number) {
    const bool rax = number == register_rax, rdx = number == register_rdx;
    switch (i.operation) {
        case Operation::mul:
        case Operation::div:
        case Operation::idiv:
            return rax || rdx;
        case Operation::imul:
            if (i.operand_count == 1) return rax || rdx;
            break;
        case Operation::cdq:
        case Operation::cqo:
            return rdx;
        case Operation::cdqe:
            return rax;
        default:
            break;
    }
    return std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) {
        return (o.kind == OperandKind::general || o.kind == OperandKind::high_byte) &&
               o.number == number && o.written;
    });
}

class BlockCompiler {
public:
    BlockCompiler(const Function& function, std::uint64_t address)
        : function_(function), block_(std::make_unique<Block>()), counter_(block_->once) {
        block_->address = address;
        block_->function = &function;
    }

    std::unique_ptr<Block> compile() {
        std::uint64_t at = block_->address;
        for (int n = 0; n < most_instructions && !done_; ++n) {
            if (!function_.contains(at)) {
                refuse("code that runs past the end of " + function_.name);
                break;
            }
            const auto instruction = decode(function_.code_at(at), at);
            if (!instruction) {
                refuse("bytes that are no instruction in " + function_.name);
                break;
            }
            at += instruction->length;
            block_->end = at;
            ++block_->instruction_count;
            counter_.add(*instruction);
            translate(*instruction);
        }
        push({.code = Code::end});
        block_->loop = SelfLoop::of(*block_);
        return std::move(block_);
    }

private:
    void refuse(const std::string& what) {
        if (block_->unsupported.empty()) block_->unsupported = what;
        done_ = true;
    }
    void push(const MicroOp& operation) { block_->operations.push_back(operation); }
    void push(Code code, const Instruction& i, std::uint8_t a = 0, std::uint8_t b = 0) {
        block_->instructions.push_back(i);
        push({.code = code,
              .a = a,
              .b = b,
              .index = static_cast<std::uint32_t>(block_->instructions.size() - 1)});
    }

    // ---- Segments. A register's value at the start of the segment plus `moved_` is its value
    // here, as long as it is `followed_`.

    Segment& segment() {
        if (open_) return *open_;
        block_->segments.push_back(std::make_unique<Segment>());
        open_ = block_->segments.back().get();
        push({.code = Code::segment,
              .index = static_cast<std::uint32_t>(block_->segments.size() - 1)});
        moved_.fill(0);
        followed_.fill(true);
        return *open_;
    }
    void close() { open_ = nullptr; }

    void access(const Address& address, TouchKind kind, int bytes, bool scalar) {
        const bool vector_store =
            !scalar && (kind == TouchKind::store || kind == TouchKind::modify);
        for (int attempt = 0; attempt < 2; ++attempt) {
            Segment& s = segment();
            // Vector stores are told to the shadow memory when their segment starts: scalar
            // accesses before or behind them belong to another one.
            const bool order = (vector_store && s.scalar_accesses) || (scalar && s.vector_stores);
            const bool known = followed_[address.base] && followed_[address.index];
            const int base = order || !known ? -1 : s.base_of(address);
            if (base < 0) {
                close();
                continue;
            }
            const std::int64_t offset =
                address.displacement + moved_[address.base] +
                static_cast<std::int64_t>(static_cast<std::uint64_t>(moved_[address.index])
                                          << address.shift);
            s.add(
                {static_cast<std::uint8_t>(base), kind, static_cast<std::uint16_t>(bytes), offset});
            s.scalar_accesses |= scalar;
            s.vector_stores |= vector_store;
            return;
        }
    }

    void move_register(std::uint8_t number, std::int64_t by) { moved_[number] += by; }
    void forget_written(const Instruction& i) {
        for (std::uint8_t number = 0; number < no_register; ++number)
            if (writes_general(i, number)) followed_[number] = false;
    }

    void memory_operands(const Instruction& i, bool scalar) {
        for (const Operand& o : i.operands) {
            if (o.kind != OperandKind::memory || !(o.read || o.written)) continue;
            if (o.address.base > no_register || o.bytes == 0)
                return refuse(i.name + " with an operand of unknown size");
            const TouchKind kind = o.read && o.written           ? TouchKind::modify
                                   : i.non_temporal && o.written ? TouchKind::store_nt
                                   : o.written                   ? TouchKind::store
                                                                 : TouchKind::load;
            access(o.address, kind, o.bytes, scalar);
        }
    }
    void stack_access(std::int64_t displacement, TouchKind kind) {
        access({.base = register_rsp, .displacement = displacement}, kind, 8, true);
    }

    // ---- One instruction.

    void translate(const Instruction& i) {
        switch (i.operation) {
            case Operation::unsupported:
                return refuse("instruction " + i.name);
            case Operation::nothing:
                return;
            case Operation::pause:
                block_->waits = true;
                return;
            case Operation::branch:
            case Operation::jump:
            case Operation::call:
            case Operation::ret:
                return finish(i);
            case Operation::prefetch:
                return access(i.operands[0].address, TouchKind::prefetch, 1, false);
            case Operation::zero_upper:
                return push({.code = state_ = Code::zero_upper});
            default:
                break;
        }
        if (i.width == VectorWidth::tile) {
            close();  // what it touches depends on the configuration
            return push(Code::tile, i);
        }
        if (i.kind == InstructionClass::mask) return mask_instruction(i);
        if (i.width != VectorWidth::none) return vector_instruction(i);
        scalar_instruction(i);
    }

    void finish(const Instruction& i) {
        done_ = true;
        block_->last = i;
        switch (i.operation) {
            case Operation::branch:
                block_->ending = Ending::branch;
                break;
            case Operation::jump:
                block_->ending = i.direct ? Ending::jump : Ending::jump_indirect;
                break;
            case Operation::call:
                block_->ending = i.direct ? Ending::call : Ending::call_indirect;
                break;
            default:
                block_->ending = Ending::ret;
        }
        memory_operands(i, true);
        if (i.operation == Operation::call) stack_access(-8, TouchKind::store);
        if (i.operation == Operation::ret) stack_access(0, TouchKind::load);
    }

    void mask_instruction(const Instruction& i) {
        memory_operands(i, true);
        push(Code::mask, i);
        if (i.operands[0].kind == OperandKind::mask)
            unknown_masks_ &= ~(1U << i.operands[0].number);
        forget_written(i);
    }

    void scalar_instruction(const Instruction& i) {
        memory_operands(i, true);
        if (i.operation == Operation::push) {
            stack_access(-8, TouchKind::store);
            push(Code::scalar, i);
            return move_register(register_rsp, -8);
        }
        if (i.operation == Operation::pop) {
            stack_access(0, TouchKind::load);
            push(Code::scalar, i);
            move_register(register_rsp, 8);
            followed_[i.operands[0].number] = false;
            return;
        }
        if (short_form(i)) return;
        push(Code::scalar, i);
        forget_written(i);
    }

    /// The forms that loops are made of; false when the instruction is none of them.
    bool short_form(const Instruction& i) {
        const Operand &to = i.operands[0], &from = i.operands[1];
        if (to.kind != OperandKind::general || to.bytes != 8) return false;
        const std::uint8_t a = to.number;
        if (i.operation == Operation::inc || i.operation == Operation::dec) {
            const bool up = i.operation == Operation::inc;
            push({.code = up ? Code::increment : Code::decrement, .a = a});
            move_register(a, up ? 1 : -1);
            return true;
        }
        if (from.kind == OperandKind::immediate) return short_immediate(i, a, from.immediate);
        const auto two = [&](Code code) {
            push({.code = code, .a = a, .b = from.number});
            return true;
        };
        if (from.kind == OperandKind::general && from.bytes == 8) {
            if (i.operation == Operation::cmp) return two(Code::compare_register);
            if (i.operation != Operation::add && i.operation != Operation::mov) return false;
            followed_[a] = false;
            return two(i.operation == Operation::add ? Code::add_register : Code::move_register);
        }
        if (from.kind == OperandKind::memory &&
            (i.operation == Operation::mov || i.operation == Operation::lea)) {
            push(i.operation == Operation::mov ? Code::load : Code::load_address, i, a);
            followed_[a] = false;
            return true;
        }
        return false;
    }

    bool short_immediate(const Instruction& i, std::uint8_t a, std::int64_t value) {
        switch (i.operation) {
            case Operation::add:
                push({.code = Code::add_immediate, .a = a, .value = value});
                move_register(a, value);
                return true;
            case Operation::sub:
                push({.code = Code::sub_immediate, .a = a, .value = value});
                move_register(a, -value);
                return true;
            case Operation::cmp:
                push({.code = Code::compare_immediate, .a = a, .value = value});
                return true;
            case Operation::mov:
                push({.code = Code::move_immediate, .a = a, .value = value});
                followed_[a] = false;
                return true;
            default:
                return false;
        }
    }

    void vector_instruction(const Instruction& i) {
        if (i.indexed) return refuse(i.name + ", whose addresses depend on vectors");
        if (i.legacy_sse && state_ != Code::legacy) push({.code = state_ = Code::legacy});
        if (i.dirties_upper && state_ != Code::wide) push({.code = state_ = Code::wide});
        if (i.mask != 0 || i.vector_mask)
            masked(i);
        else
            memory_operands(i, false);
        const Operand& to = i.operands[0];
        if (to.kind == OperandKind::mask && to.written) make_unknown(to.number);
        if (i.operation == Operation::flags_from_vector) push({.code = Code::unknown_flags});
        if (function_.brings_vectors_back) {
            follow_lanes(i);
        } else if (i.operation == Operation::vector_to_general) {
            push({.code = Code::unknown_register, .a = to.number});
        } else if (i.operation == Operation::compare_lane) {
            push({.code = Code::unknown_flags});
        }
        forget_written(i);
    }

    /// Told once: comparisons write the same mask many times in a row.
    void make_unknown(std::uint8_t mask) {
        if (((unknown_masks_ >> mask) & 1U) == 0) push({.code = Code::unknown_mask, .a = mask});
        unknown_masks_ |= 1U << mask;
    }

    void masked(const Instruction& i) {
        const bool memory = std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) {
            return o.kind == OperandKind::memory;
        });
        if (memory) {
            close();  // how much it touches is known when it runs
            push(Code::masked_access, i);
        }
        if (i.flops_per_lane + i.integer_ops_per_lane > 0) push(Code::masked_work, i, i.mask);
    }

    void follow_lanes(const Instruction& i) {
        if (i.operation == Operation::vector_to_general) return push(Code::to_general, i);
        if (i.operation == Operation::compare_lane) return push(Code::compare_lane, i);
        if (i.lanes_after != LaneEffect::none) push(Code::lanes, i);
    }

    const Function& function_;
    std::unique_ptr<Block> block_;
    BlockCounter counter_;
    Segment* open_ = nullptr;
    std::array<std::int64_t, no_register + 1> moved_{};
    std::array<bool, no_register + 1> followed_{};
    std::uint32_t unknown_masks_ = 0;  ///< those that the block has already made so
    Code state_ = Code::end;           ///< of the upper halves, as far as the block has told
    bool done_ = false;
};

}  // namespace

std::unique_ptr<Block> compile_block(const Function& function, std::uint64_t address) {
    return BlockCompiler(function, address).compile();
}

}  // namespace ridge::tracer
