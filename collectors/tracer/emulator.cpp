#include "collectors/tracer/emulator.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include "collectors/tracer/block_counts.hpp"

namespace ridge::tracer {

void Emulator::begin(RunBuffer* out, bool compressed, std::vector<Region> tensors) {
    out_ = out;
    compressed_ = compressed;
    state_.memory.set_tensors(std::move(tensors));
    state_.failure.clear();
    flops_failure_.clear();
    dynamic_ = {};
    calls_.clear();
    seconds_ = 0;
    for (Block* block : used_) block->executions = 0;
    used_.clear();
}

std::uint64_t Emulator::call(const Function& function, const Registers& entry,
                             std::vector<BlockStart>* log) {
    const auto start = std::chrono::steady_clock::now();
    std::copy(entry.begin(), entry.end(), state_.general.begin());
    state_.tainted = 0;
    state_.mask_tainted = 0xff;
    state_.flags = {};
    state_.flags.tainted = true;
    for (LowLanes& lanes : state_.lanes) lanes.known = 0;
    entry_stack_ = entry[register_rsp];
    state_.memory.begin(entry_stack_);
    upper_dirty_ = false;
    tiles_ = {};
    entries_ = 0;
    waits_ = 0;
    ++calls_[&function];
    run(block_at(function.address), log);
    state_.memory.end();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return entries_ > 0 ? entries_ - 1 : 0;  // the first one is the call itself
}

void Emulator::run(Block* block, std::vector<BlockStart>* log) {
    std::uint64_t instructions = 0;
    // A comparison with the native run wants every start of a block, and a stream access by access
    // every access.
    const bool together = log == nullptr && (out_ == nullptr || compressed_);
    while (block != nullptr) {
        if (!block->unsupported.empty()) return state_.fail(block->unsupported);
        if (block->executions++ == 0) used_.push_back(block);
        entries_ += block->entry;
        if (log != nullptr) {
            BlockStart start{block->address, instructions, {}};
            std::copy_n(state_.general.begin(), start.registers.size(), start.registers.begin());
            log->push_back(start);
            instructions += block->instruction_count;
        }
        execute(*block);
        if (!state_.failure.empty()) {
            state_.failure += " in " + block->function->name;
            return;
        }
        Block* const next = successor(*block);
        if (next == block && block->loop && together) repeat(*block);
        block = next;
    }
}

void Emulator::execute(const Block& block) {
    auto& r = state_.general;
    Flags& flags = state_.flags;
    // Taints are rare: the short forms look at them only when there are any.
    const auto taint_two = [&](const MicroOp& op, bool result) {
        const bool taints = ((state_.tainted >> op.a) | (state_.tainted >> op.b)) & 1;
        flags.tainted = taints;
        if (result) state_.taint(op.a, taints);
    };
    for (const MicroOp* op = block.operations.data();; ++op) {
        const auto a = static_cast<std::int64_t>(r[op->a]);
        switch (op->code) {
            case Code::end:
                return;
            case Code::segment:
                segment(*block.segments[op->index]);
                break;
            case Code::add_immediate:
                r[op->a] += static_cast<std::uint64_t>(op->value);
                flags.set(Flags::From::addition, a, op->value, static_cast<std::int64_t>(r[op->a]));
                flags.tainted = (state_.tainted >> op->a) & 1;
                break;
            case Code::sub_immediate:
                r[op->a] -= static_cast<std::uint64_t>(op->value);
                flags.set(Flags::From::subtraction, a, op->value,
                          static_cast<std::int64_t>(r[op->a]));
                flags.tainted = (state_.tainted >> op->a) & 1;
                break;
            case Code::compare_immediate:
                flags.set(
                    Flags::From::subtraction, a, op->value,
                    static_cast<std::int64_t>(r[op->a] - static_cast<std::uint64_t>(op->value)));
                flags.tainted = (state_.tainted >> op->a) & 1;
                break;
            case Code::add_register: {
                const auto b = static_cast<std::int64_t>(r[op->b]);
                r[op->a] += r[op->b];
                flags.set(Flags::From::addition, a, b, static_cast<std::int64_t>(r[op->a]));
                if (state_.tainted != 0) taint_two(*op, true);
                break;
            }
            case Code::compare_register:
                flags.set(Flags::From::subtraction, a, static_cast<std::int64_t>(r[op->b]),
                          static_cast<std::int64_t>(r[op->a] - r[op->b]));
                if (state_.tainted != 0) taint_two(*op, false);
                break;
            case Code::move_register:
                r[op->a] = r[op->b];
                if (state_.tainted != 0) state_.taint(op->a, (state_.tainted >> op->b) & 1);
                break;
            case Code::move_immediate:
                r[op->a] = static_cast<std::uint64_t>(op->value);
                state_.taint(op->a, false);
                break;
            case Code::load_address: {
                const Address& address = block.instructions[op->index].operands[1].address;
                const bool taints = state_.is_tainted(address);
                r[op->a] = state_.address(address);
                state_.taint(op->a, taints);
                break;
            }
            case Code::load: {
                const Loaded value = state_.read(block.instructions[op->index].operands[1]);
                r[op->a] = value.value;
                state_.taint(op->a, value.tainted);
                break;
            }
            case Code::increment:
            case Code::decrement: {
                const bool carry = flags.carry(), up = op->code == Code::increment;
                r[op->a] += up ? 1 : ~std::uint64_t{0};
                const auto result = static_cast<std::int64_t>(r[op->a]);
                flags.set_given(result, carry, up ? a >= 0 && result < 0 : a < 0 && result >= 0);
                flags.tainted = (state_.tainted >> op->a) & 1;
                break;
            }
            case Code::scalar:
                state_.scalar(block.instructions[op->index]);
                break;
            case Code::mask:
                state_.mask_instruction(block.instructions[op->index]);
                break;
            case Code::masked_access:
                masked_access(block.instructions[op->index]);
                break;
            case Code::tile:
                tile(block.instructions[op->index]);
                if (!state_.failure.empty()) return;
                break;
            case Code::masked_work:
                masked_work(block.instructions[op->index], 1);
                break;
            case Code::unknown_mask:
                state_.mask_tainted |= static_cast<std::uint8_t>(1U << op->a);
                break;
            case Code::unknown_register:
                state_.taint(op->a, true);
                break;
            case Code::unknown_flags:
                flags.tainted = true;
                break;
            case Code::lanes:
                state_.lane_effect(block.instructions[op->index]);
                break;
            case Code::to_general:
                state_.lanes_to_general(block.instructions[op->index]);
                break;
            case Code::compare_lane:
                state_.compare_lanes(block.instructions[op->index]);
                break;
            case Code::wide:
                upper_dirty_ = true;
                break;
            case Code::legacy:
                dynamic_.sse_transitions += upper_dirty_ ? 1 : 0;
                upper_dirty_ = false;
                break;
            case Code::zero_upper:
                upper_dirty_ = false;
                break;
        }
    }
}

void Emulator::segment(Segment& s) {
    if (out_ == nullptr && !s.vector_stores && state_.tainted == 0) return;
    Segment::Values values{};
    const auto& bases = s.bases();
    for (std::size_t i = 0; i < bases.size(); ++i) {
        if (state_.tainted != 0 && state_.is_tainted(bases[i]))
            return state_.fail("an address that depends on data");
        values[i] = state_.address(bases[i]);
    }
    if (s.vector_stores)
        for (std::size_t i = 0; i < bases.size(); ++i) {
            const auto& range = s.store_ranges()[i];
            if (range.low == range.high ||
                !state_.memory.meets_stack(values[i] + static_cast<std::uint64_t>(range.low),
                                           static_cast<std::uint64_t>(range.high - range.low)))
                continue;
            for (const Access& access : s.accesses())
                if (access.base == i &&
                    (access.kind == TouchKind::store || access.kind == TouchKind::modify))
                    state_.memory.store_unknown(
                        values[i] + static_cast<std::uint64_t>(access.offset), access.bytes);
        }
    if (out_ != nullptr) s.emit(values, thread_, compressed_, *out_);
}

void Emulator::masked_access(const Instruction& i) {
    const ActiveLanes by_vector =
        i.vector_mask ? state_.active_lanes(i.operands[1], i.mask_element) : ActiveLanes{};
    const bool unknown =
        i.vector_mask ? !by_vector.known : ((state_.mask_tainted >> i.mask) & 1) != 0;
    for (const Operand& o : i.operands) {
        if (o.kind != OperandKind::memory) continue;
        if (state_.is_tainted(o.address)) return state_.fail("an address that depends on data");
        // A load within one line reads that line, whichever lanes are active.
        const std::uint64_t whole = state_.address(o.address);
        const bool one_line = whole / 64 == (whole + o.bytes - 1U) / 64;
        if (unknown && (o.written || !one_line))
            return state_.fail("a memory access under a mask that depends on data, " + i.name +
                               ",");
        const int elements = std::max(1, o.bytes / std::max<int>(1, i.mask_element));
        std::uint64_t active = unknown         ? ~std::uint64_t{0}
                               : i.vector_mask ? by_vector.mask
                                               : state_.mask[i.mask];
        if (i.broadcast)
            active = active != 0 ? 1 : 0;
        else if (elements < 64)
            active &= (std::uint64_t{1} << elements) - 1;
        if (active == 0) continue;
        const int first = std::countr_zero(active), last = 63 - std::countl_zero(active);
        const int bytes = i.broadcast ? o.bytes : (last - first + 1) * i.mask_element;
        const std::uint64_t address =
            state_.address(o.address) + static_cast<std::uint64_t>(first * i.mask_element);
        add_access(dynamic_, i, bytes, o.written);
        if (o.written) state_.memory.store_unknown(address, static_cast<std::uint64_t>(bytes));
        if (out_ == nullptr) continue;
        out_->push({.line = address / 64,
                    .offset = static_cast<std::uint16_t>(address % 64),
                    .bytes = static_cast<std::uint16_t>(bytes),
                    .kind = o.written ? i.non_temporal ? TouchKind::store_nt : TouchKind::store
                                      : TouchKind::load,
                    .thread = thread_});
    }
}

void Emulator::masked_work(const Instruction& i, double times) {
    if ((state_.mask_tainted >> i.mask) & 1) {
        if (flops_failure_.empty())
            flops_failure_ = "arithmetic under a mask that depends on data, " + i.name;
        return;
    }
    const std::uint64_t all = i.lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << i.lanes) - 1;
    add_work(dynamic_, i, std::popcount(state_.mask[i.mask] & all), times);
}

/// After an iteration of a loop: all further ones but the last, at once.
void Emulator::repeat(Block& block) {
    const std::uint64_t times = block.loop->iterations(state_, block.last.condition);
    if (times == 0 || block.loop->stores_to_stack(state_, times)) return;
    block.executions += times;
    for (const MicroOp& op : block.operations) {
        if (op.code == Code::masked_work)
            masked_work(block.instructions[op.index], static_cast<double>(times));
        if (op.code == Code::legacy && upper_dirty_)
            dynamic_.sse_transitions += static_cast<double>(times);
        // Each iteration finds the upper halves as the one before left them.
        if (op.code == Code::wide) upper_dirty_ = true;
        if (op.code == Code::legacy || op.code == Code::zero_upper) upper_dirty_ = false;
    }
    if (out_ != nullptr) block.loop->emit(state_, times, thread_, *out_);
    block.loop->advance(state_, times);
}

}  // namespace ridge::tracer
