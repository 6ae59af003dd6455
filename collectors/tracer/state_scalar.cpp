// Integer instructions.
#include <bit>
#include <utility>

#include "collectors/tracer/state.hpp"

namespace ridge::tracer {

void State::scalar(const Instruction& i) {
    const Operand &to = i.operands[0], &from = i.operands[1];
    switch (i.operation) {
        case Operation::mov:
        case Operation::movzx: {
            const Loaded value = read(from);
            return write(to, value.value, value.tainted);
        }
        case Operation::movsx: {
            const Loaded value = read(from);
            return write(to, static_cast<std::uint64_t>(sign_extend(value.value, from.bytes)),
                         value.tainted);
        }
        case Operation::lea:
            return write(to, address(from.address), is_tainted(from.address));
        case Operation::shl:
        case Operation::shr:
        case Operation::sar:
        case Operation::shlx:
        case Operation::shrx:
        case Operation::sarx:
            return shift(i);
        case Operation::imul:
        case Operation::mul:
            return multiply(i);
        case Operation::div:
        case Operation::idiv:
            return divide(i);
        case Operation::bsf:
        case Operation::tzcnt:
        case Operation::lzcnt:
        case Operation::popcnt:
        case Operation::bzhi:
        case Operation::blsr:
            return count_bits(i);
        case Operation::push:
        case Operation::pop:
            return stack(i);
        case Operation::xchg:
        case Operation::xadd:
            return exchange(i);
        case Operation::cdqe:
            general[register_rax] = static_cast<std::uint64_t>(sign_extend(general[0], 4));
            return;
        case Operation::cdq:
        case Operation::cqo: {
            const unsigned bytes = i.operation == Operation::cqo ? 8 : 4;
            const bool negative = sign_extend(general[register_rax], bytes) < 0;
            general[register_rdx] = zero_extend(negative ? ~std::uint64_t{0} : 0, bytes);
            return taint(register_rdx, (tainted & 1) != 0);
        }
        case Operation::set:
            return write(to, flags.holds(i.condition) ? 1 : 0, flags.tainted);
        case Operation::cmov: {
            const Loaded moved = read(from), kept = read(to);
            const bool move = flags.holds(i.condition);
            return write(to, move ? moved.value : kept.value,
                         flags.tainted || (move ? moved.tainted : kept.tainted));
        }
        default:
            return arithmetic(i);
    }
}

void State::arithmetic(const Instruction& i) {
    const Operand& to = i.operands[0];
    const bool three = i.operation == Operation::andn;
    const Loaded left = read(three ? i.operands[1] : to);
    const Loaded right = i.operand_count > 1 ? read(i.operands[three ? 2 : 1]) : Loaded{};
    const unsigned bytes = to.bytes;
    const std::int64_t a = sign_extend(left.value, bytes), b = sign_extend(right.value, bytes);
    const auto wrap = [&](std::uint64_t value) { return sign_extend(value, bytes); };
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    bool taints = left.tainted || right.tainted;
    std::int64_t result = 0;
    bool keep = true;
    switch (i.operation) {
        case Operation::add:
            flags.set(Flags::From::addition, a, b, result = wrap(ua + ub));
            break;
        case Operation::sub:
        case Operation::cmp:
            keep = i.operation == Operation::sub;
            flags.set(Flags::From::subtraction, a, b, result = wrap(ua - ub));
            // x - x is 0 whatever x is.
            if (to.kind == OperandKind::general && i.operands[1].kind == OperandKind::general &&
                to.number == i.operands[1].number)
                taints = false;
            break;
        case Operation::adc:
        case Operation::sbb: {
            const std::uint64_t carry = flags.carry() ? 1 : 0;
            taints = taints || flags.tainted;
            const bool plus = i.operation == Operation::adc;
            result = wrap(plus ? ua + ub + carry : ua - ub - carry);
            const std::uint64_t za = zero_extend(ua, bytes), zb = zero_extend(ub, bytes);
            const std::uint64_t zr = zero_extend(static_cast<std::uint64_t>(result), bytes);
            const bool carries =
                plus ? zr < za || (carry != 0 && zr == za) : za < zb || (carry != 0 && za == zb);
            const bool overflows =
                plus ? ((a ^ result) & (b ^ result)) < 0 : ((a ^ b) & (a ^ result)) < 0;
            flags.set_given(result, carries, overflows);
            break;
        }
        case Operation::test:
        case Operation::bit_and:
            keep = i.operation == Operation::bit_and;
            flags.set(Flags::From::logic, 0, 0, result = a & b);
            break;
        case Operation::andn:
            flags.set(Flags::From::logic, 0, 0, result = ~a & b);
            break;
        case Operation::bit_or:
            flags.set(Flags::From::logic, 0, 0, result = a | b);
            break;
        case Operation::bit_xor:
            flags.set(Flags::From::logic, 0, 0, result = a ^ b);
            if (to.kind == OperandKind::general && i.operands[1].kind == OperandKind::general &&
                to.number == i.operands[1].number)
                taints = false;
            break;
        case Operation::bit_not:
            return write(to, ~left.value, left.tainted);
        case Operation::neg:
            flags.set(Flags::From::subtraction, 0, a, result = wrap(0 - ua));
            break;
        case Operation::inc:
        case Operation::dec: {
            // The carry stays as it was; kernels ask for zero and sign.
            const bool carry = flags.carry();
            const bool up = i.operation == Operation::inc;
            result = wrap(up ? ua + 1 : ua - 1);
            flags.set_given(result, carry, up ? a >= 0 && result < 0 : a < 0 && result >= 0);
            break;
        }
        default:
            return fail("instruction " + i.name);
    }
    flags.tainted = taints;
    if (keep) write(to, static_cast<std::uint64_t>(result), taints);
}

void State::shift(const Instruction& i) {
    const bool three = i.operation == Operation::shlx || i.operation == Operation::shrx ||
                       i.operation == Operation::sarx;
    const Operand& to = i.operands[0];
    const Loaded value = read(i.operands[three ? 1 : 0]), by = read(i.operands[three ? 2 : 1]);
    const unsigned bytes = to.bytes, bits = 8 * bytes;
    const unsigned count = static_cast<unsigned>(by.value) & (bytes == 8 ? 63 : 31);
    const bool taints = value.tainted || by.tainted;
    if (count >= bits) return fail("a shift by more than the register holds");
    std::uint64_t result = 0;
    const bool left = i.operation == Operation::shl || i.operation == Operation::shlx;
    const bool arithmetic_right = i.operation == Operation::sar || i.operation == Operation::sarx;
    if (left)
        result = value.value << count;
    else if (arithmetic_right)
        result = static_cast<std::uint64_t>(sign_extend(value.value, bytes) >> count);
    else
        result = zero_extend(value.value, bytes) >> count;
    write(to, result, taints);
    if (three || count == 0) {
        if (!three && by.tainted) flags.tainted = true;
        return;
    }
    const bool carry =
        left ? ((value.value >> (bits - count)) & 1) != 0 : ((value.value >> (count - 1)) & 1) != 0;
    const std::int64_t outcome = sign_extend(result, bytes);
    const bool overflow = left               ? (outcome < 0) != carry
                          : arithmetic_right ? false
                                             : sign_extend(value.value, bytes) < 0;
    flags.set_given(outcome, carry, overflow);
    flags.tainted = taints;
}

void State::multiply(const Instruction& i) {
    const unsigned bytes = i.operands[0].bytes;
    if (i.operand_count == 1) {
        const Loaded by = read(i.operands[0]);
        const bool taints = by.tainted || (tainted & 1) != 0;
        if (bytes != 8 && bytes != 4) return fail("instruction " + i.name + " of that width");
        __extension__ using Wide = unsigned __int128;
        __extension__ using SignedWide = __int128;
        const Wide product =
            i.operation == Operation::mul
                ? Wide{zero_extend(general[0], bytes)} * zero_extend(by.value, bytes)
                : static_cast<Wide>(SignedWide{sign_extend(general[0], bytes)} *
                                    sign_extend(by.value, bytes));
        general[register_rax] = zero_extend(static_cast<std::uint64_t>(product), bytes);
        general[register_rdx] =
            zero_extend(static_cast<std::uint64_t>(product >> (8 * bytes)), bytes);
        taint(register_rax, taints);
        taint(register_rdx, taints);
        flags.tainted = true;  // zero and sign are undefined
        return;
    }
    const bool three = i.operand_count == 3;
    const Loaded a = read(i.operands[three ? 1 : 0]), b = read(i.operands[three ? 2 : 1]);
    const std::uint64_t product = static_cast<std::uint64_t>(sign_extend(a.value, bytes)) *
                                  static_cast<std::uint64_t>(sign_extend(b.value, bytes));
    write(i.operands[0], product, a.tainted || b.tainted);
    flags.tainted = true;
}

void State::divide(const Instruction& i) {
    const Operand& operand = i.operands[0];
    const unsigned bytes = operand.bytes;
    if (bytes != 8 && bytes != 4) return fail("instruction " + i.name + " of that width");
    const Loaded by = read(operand);
    const bool taints = by.tainted || (tainted & 1) != 0 || ((tainted >> register_rdx) & 1) != 0;
    flags.tainted = true;
    taint(register_rax, taints);
    taint(register_rdx, taints);
    if (taints) return;
    if (zero_extend(by.value, bytes) == 0) return fail("a division by zero");
    __extension__ using Wide = unsigned __int128;
    __extension__ using SignedWide = __int128;
    const Wide whole = (Wide{zero_extend(general[register_rdx], bytes)} << (8 * bytes)) |
                       zero_extend(general[register_rax], bytes);
    std::uint64_t quotient = 0, rest = 0;
    if (i.operation == Operation::div) {
        const Wide divisor = zero_extend(by.value, bytes);
        quotient = static_cast<std::uint64_t>(whole / divisor);
        rest = static_cast<std::uint64_t>(whole % divisor);
    } else {
        const SignedWide divisor = sign_extend(by.value, bytes);
        const SignedWide value =
            bytes == 8 ? static_cast<SignedWide>(whole)
                       : SignedWide{static_cast<std::int64_t>(static_cast<std::uint64_t>(whole))};
        quotient = static_cast<std::uint64_t>(value / divisor);
        rest = static_cast<std::uint64_t>(value % divisor);
    }
    general[register_rax] = zero_extend(quotient, bytes);
    general[register_rdx] = zero_extend(rest, bytes);
}

void State::count_bits(const Instruction& i) {
    const Operand& to = i.operands[0];
    const Loaded from = read(i.operands[1]);
    const unsigned bytes = to.bytes, bits = 8 * bytes;
    const std::uint64_t value = zero_extend(from.value, bytes);
    const int leading = std::countl_zero(value) - static_cast<int>(64 - bits);
    std::uint64_t result = 0;
    bool taints = from.tainted;
    switch (i.operation) {
        case Operation::bsf:
            if (value == 0) return fail("bsf of zero, whose result is undefined");
            result = static_cast<std::uint64_t>(std::countr_zero(value));
            flags.set_given(1, false, false);
            break;
        case Operation::tzcnt:
        case Operation::lzcnt:
            result = value == 0 ? bits
                     : i.operation == Operation::tzcnt
                         ? static_cast<std::uint64_t>(std::countr_zero(value))
                         : static_cast<std::uint64_t>(leading);
            flags.set_given(static_cast<std::int64_t>(result), value == 0, false);
            break;
        case Operation::popcnt:
            result = static_cast<std::uint64_t>(std::popcount(value));
            flags.set(Flags::From::logic, 0, 0, static_cast<std::int64_t>(value));
            break;
        case Operation::blsr:
            result = value & (value - 1);
            flags.set_given(sign_extend(result, bytes), value == 0, false);
            break;
        default: {
            const Loaded count = read(i.operands[2]);
            const unsigned n = static_cast<unsigned>(count.value) & 0xff;
            taints = taints || count.tainted;
            result = n < bits ? value & ((std::uint64_t{1} << n) - 1) : value;
            flags.set_given(sign_extend(result, bytes), n >= bits, false);
        }
    }
    flags.tainted = taints;
    write(to, result, taints);
}

void State::exchange(const Instruction& i) {
    const Operand &first = i.operands[0], &second = i.operands[1];
    const Loaded a = read(first), b = read(second);
    if (i.operation == Operation::xchg) {
        write(first, b.value, b.tainted);
        return write(second, a.value, a.tainted);
    }
    const std::int64_t sa = sign_extend(a.value, first.bytes),
                       sb = sign_extend(b.value, first.bytes);
    const std::int64_t sum = sign_extend(a.value + b.value, first.bytes);
    write(second, a.value, a.tainted);
    write(first, static_cast<std::uint64_t>(sum), a.tainted || b.tainted);
    flags.set(Flags::From::addition, sa, sb, sum);
    flags.tainted = a.tainted || b.tainted;
}

void State::stack(const Instruction& i) {
    const Operand& operand = i.operands[0];
    std::uint64_t& pointer = general[register_rsp];
    if (i.operation == Operation::push) {
        const Loaded value = read(operand);
        pointer -= 8;
        return memory.store(pointer, 8, value.value, value.tainted);
    }
    const Loaded value = memory.load(pointer, 8);
    pointer += 8;
    write(operand, value.value, value.tainted);
}

}  // namespace ridge::tracer
