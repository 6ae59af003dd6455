// Where a block goes on: branches, calls, returns, and the blocks themselves.
#include "collectors/tracer/emulator.hpp"

namespace ridge::tracer {
namespace {

/// A loop that waits is left after one round; one that comes back this often is not understood.
constexpr std::uint64_t most_waits = 100000;

}  // namespace

Block* Emulator::successor(Block& block) {
    switch (block.ending) {
        case Ending::branch:
            return branch(block);
        case Ending::jump:
            if (block.taken == nullptr) block.taken = block_at(block.last.target);
            return block.taken;
        case Ending::jump_indirect: {
            const Loaded target = state_.read(block.last.operands[0]);
            if (target.tainted) state_.fail("a jump that depends on data");
            return state_.failure.empty() ? block_at(target.value) : nullptr;
        }
        case Ending::call:
        case Ending::call_indirect:
            return call_target(block);
        case Ending::ret:
            return return_target();
        default:
            if (block.next == nullptr) block.next = block_at(block.end);
            return block.next;
    }
}

Block* Emulator::branch(Block& block) {
    bool taken = false;
    if (block.waits) {
        // Emulation is alone: whoever is waited for comes natively. Out of the loop.
        if (++waits_ > most_waits) {
            state_.fail("a loop that waits for other threads, not understood,");
            return nullptr;
        }
        taken = block.last.target > block.address;
    } else {
        if (state_.flags.tainted) {
            state_.fail("a branch that depends on data in " + block.function->name);
            return nullptr;
        }
        taken = state_.flags.holds(block.last.condition);
    }
    Block*& next = taken ? block.taken : block.next;
    if (next == nullptr) next = block_at(taken ? block.last.target : block.end);
    return next;
}

Block* Emulator::call_target(Block& block) {
    std::uint64_t target = block.last.target;
    if (block.ending == Ending::call_indirect) {
        const Loaded value = state_.read(block.last.operands[0]);
        if (value.tainted) state_.fail("a call that depends on data");
        target = value.value;
    }
    if (!state_.failure.empty()) return nullptr;
    if (code_.find(target) == nullptr) {
        state_.fail("a call out of generated code in " + block.function->name);
        return nullptr;
    }
    std::uint64_t& stack = state_.general[register_rsp];
    stack -= 8;
    state_.memory.store(stack, 8, block.end, false);
    return block_at(target);
}

/// Null at the end of the call.
Block* Emulator::return_target() {
    std::uint64_t& stack = state_.general[register_rsp];
    if (stack == entry_stack_) return nullptr;
    const Loaded target = state_.memory.load(stack, 8);
    stack += 8;
    if (target.tainted) {
        state_.fail("a return to an unknown place");
        return nullptr;
    }
    return block_at(target.value);
}

Block* Emulator::block_at(std::uint64_t address) {
    const auto known = blocks_.find(address);
    if (known != blocks_.end()) return known->second.get();
    const Function* function = code_.find(address);
    if (function == nullptr) {
        state_.fail("a jump out of generated code");
        return nullptr;
    }
    auto block = compile_block(*function, address);
    block->entry = function->hooked && function->address == address;
    return (blocks_[address] = std::move(block)).get();
}

}  // namespace ridge::tracer
