// Mask registers, and what scalar state gets to see of vector registers.
#include <bit>

#include "collectors/tracer/state.hpp"

namespace ridge::tracer {

void State::mask_instruction(const Instruction& i) {
    const Operand& to = i.operands[0];
    const bool three = i.operand_count > 2 && i.operands[2].kind == OperandKind::mask;
    const Loaded a = read(i.operands[1]);
    const Loaded b = three ? read(i.operands[2]) : Loaded{};
    const bool same = three && i.operands[1].number == i.operands[2].number;
    const unsigned bytes = i.operands[1].kind == OperandKind::mask ? i.operands[1].bytes : to.bytes;
    const unsigned by =
        i.operand_count > 2 ? static_cast<unsigned>(i.operands[2].immediate) & 0xff : 0;
    const auto put = [&](std::uint64_t value, bool taints) {
        write(to, zero_extend(value, bytes), taints);
    };
    switch (i.operation) {
        case Operation::kmov:
            return put(a.value, a.tainted);
        case Operation::kand:
            return put(a.value & b.value, a.tainted || b.tainted);
        case Operation::kandn:
            return put(~a.value & b.value, a.tainted || b.tainted);
        case Operation::kor:
            return put(a.value | b.value, a.tainted || b.tainted);
        case Operation::kxor:
            return put(same ? 0 : a.value ^ b.value, !same && (a.tainted || b.tainted));
        case Operation::kxnor:
            return put(same ? ~std::uint64_t{0} : ~(a.value ^ b.value),
                       !same && (a.tainted || b.tainted));
        case Operation::knot:
            return put(~a.value, a.tainted);
        case Operation::kadd:
            return put(a.value + b.value, a.tainted || b.tainted);
        case Operation::kshiftl:
            return put(by < 8 * bytes ? a.value << by : 0, a.tainted);
        case Operation::kshiftr:
            return put(by < 8 * bytes ? a.value >> by : 0, a.tainted);
        case Operation::kortest:
        case Operation::ktest: {
            const Loaded first = read(to);
            const bool any = i.operation == Operation::kortest;
            const std::uint64_t all = zero_extend(~std::uint64_t{0}, bytes);
            const std::uint64_t joined = any ? first.value | a.value : first.value & a.value;
            const bool carry = any ? joined == all : (~first.value & a.value & all) == 0;
            flags.set_given(joined == 0 ? 0 : 1, carry, false);
            flags.tainted = first.tainted || a.tainted;
            return;
        }
        default:
            return fail("instruction " + i.name);
    }
}

namespace {

constexpr std::uint8_t all_lanes = 0xff, upper_lanes = 0xf0;

/// Bytes from memory, the rest zero, as loads of scalars and of vectors do.
LowLanes loaded_lanes(ShadowMemory& memory, std::uint64_t address, unsigned bytes) {
    LowLanes lanes;
    lanes.known = all_lanes;
    for (unsigned i = 0; i < 8 && 4 * i < bytes; ++i) {
        const Loaded part = memory.load(address + 4 * i, 4);
        lanes.lane[i] = static_cast<std::uint32_t>(part.value);
        if (part.tainted) lanes.known &= static_cast<std::uint8_t>(~(1U << i));
    }
    return lanes;
}

LowLanes everywhere(std::uint32_t value, bool known) {
    LowLanes lanes;
    lanes.lane.fill(value);
    lanes.known = known ? all_lanes : 0;
    return lanes;
}

}  // namespace

/// Instructions on xmm leave the upper half of ymm alone in legacy encoding, and clear it in
/// others.
void State::lane_effect(const Instruction& i) {
    LowLanes& to = lanes[i.operands[0].number & 31];
    const LowLanes before = to;
    low_lanes(i);
    if (i.lanes_after == LaneEffect::none || i.operands[0].bytes != 16) return;
    for (std::size_t lane = 4; lane < 8; ++lane)
        to.lane[lane] = i.legacy_sse ? before.lane[lane] : 0;
    const int upper = i.legacy_sse ? before.known & upper_lanes : upper_lanes;
    to.known = static_cast<std::uint8_t>((to.known & ~upper_lanes) | upper);
}

void State::low_lanes(const Instruction& i) {
    const Operand& from = i.operands[1];
    const Operand& last = i.operands[i.operand_count > 2 ? 2 : 1];
    LowLanes& to = lanes[i.operands[0].number & 31];
    const auto source = [&]() -> const LowLanes& { return lanes[from.number & 31]; };
    const bool from_memory = from.kind == OperandKind::memory;
    if (from_memory && is_tainted(from.address)) return fail("an address that depends on data");
    switch (i.lanes_after) {
        case LaneEffect::none:
            return;
        case LaneEffect::zero:
            to = everywhere(0, true);
            return;
        case LaneEffect::ones:
            to = everywhere(~0U, true);
            return;
        case LaneEffect::copy:
            to = source();
            return;
        case LaneEffect::load:
            to = loaded_lanes(memory, address(from.address), from.bytes);
            return;
        case LaneEffect::broadcast_load: {
            const LowLanes one = loaded_lanes(memory, address(from.address), 4);
            to = everywhere(one.lane[0], (one.known & 1) != 0);
            return;
        }
        case LaneEffect::broadcast:
            to = everywhere(source().lane[0], (source().known & 1) != 0);
            return;
        case LaneEffect::general: {
            const Loaded value = read(from);
            to = everywhere(0, true);
            to.lane[0] = static_cast<std::uint32_t>(value.value);
            to.lane[1] = static_cast<std::uint32_t>(value.value >> 32);
            if (value.tainted) to.known &= static_cast<std::uint8_t>(from.bytes == 8 ? ~3U : ~1U);
            return;
        }
        case LaneEffect::insert: {
            const bool three = i.operand_count > 3;
            const Loaded value = read(three ? last : from);
            const auto half =
                static_cast<std::size_t>(i.operands[i.operand_count - 1U].immediate & 1);
            if (three) to = source();
            to.lane[2 * half] = static_cast<std::uint32_t>(value.value);
            to.lane[2 * half + 1] = static_cast<std::uint32_t>(value.value >> 32);
            const auto bits = static_cast<std::uint8_t>(3U << (2 * half));
            to.known =
                static_cast<std::uint8_t>(value.tainted ? to.known & ~bits : to.known | bits);
            return;
        }
        case LaneEffect::shift_left:
        case LaneEffect::shift_right: {
            const LowLanes before = source();
            const auto by = static_cast<unsigned>(last.immediate) & 0xff;
            for (std::size_t lane = 0; lane < 8; ++lane)
                to.lane[lane] = by > 31                                   ? 0
                                : i.lanes_after == LaneEffect::shift_left ? before.lane[lane] << by
                                                                          : before.lane[lane] >> by;
            to.known = before.known;
            return;
        }
        case LaneEffect::unknown:
            to.known = 0;
            return;
    }
}

void State::lanes_to_general(const Instruction& i) {
    const Operand& to = i.operands[0];
    const LowLanes& from = lanes[i.operands[1].number & 31];
    const std::string_view name = i.name;
    const bool moves = name.ends_with("movd") || name.ends_with("movq");
    const bool extracts = name.ends_with("pextrq");
    if (i.operands[1].kind != OperandKind::vector || (!moves && !extracts))
        return write(to, 0, true);
    const std::size_t first =
        extracts ? 2 * (static_cast<std::size_t>(i.operands[2].immediate) & 1) : 0;
    std::uint64_t value = from.lane[first];
    bool known = (from.known >> first) & 1;
    if (to.bytes == 8) {
        value |= std::uint64_t{from.lane[first + 1]} << 32;
        known = known && ((from.known >> (first + 1)) & 1) != 0;
    }
    write(to, value, !known);
}

ActiveLanes State::active_lanes(const Operand& vector, int element_bytes) const {
    const LowLanes& from = lanes[vector.number & 31];
    const std::size_t words = static_cast<std::size_t>(element_bytes) / 4;
    ActiveLanes active{.known = words > 0};
    for (std::size_t i = 0; words > 0 && (i + 1) * words * 4 <= vector.bytes; ++i) {
        const std::size_t top = (i + 1) * words - 1;
        if (top >= from.lane.size() || ((from.known >> top) & 1) == 0) return {};
        active.mask |= std::uint64_t{from.lane[top] >> 31} << i;
    }
    return active;
}

void State::compare_lanes(const Instruction& i) {
    const LowLanes& left = lanes[i.operands[0].number & 31];
    const Operand& other = i.operands[1];
    LowLanes right;
    if (other.kind == OperandKind::memory) {
        if (is_tainted(other.address)) return fail("an address that depends on data");
        right = loaded_lanes(memory, address(other.address), 4);
    } else {
        right = lanes[other.number & 31];
    }
    const auto a = std::bit_cast<float>(left.lane[0]), b = std::bit_cast<float>(right.lane[0]);
    const bool unordered = a != a || b != b;
    // Parity tells "unordered": of the results used here, 0 has even parity and 1 odd parity, but
    // unordered also means equal. Branches on parity alone are therefore not understood.
    flags.set_given(unordered || a == b ? 0 : 1, unordered || a < b, false);
    flags.tainted = unordered || (left.known & right.known & 1) == 0;
}

}  // namespace ridge::tracer
