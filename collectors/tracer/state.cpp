// Flags and operands.
#include "collectors/tracer/state.hpp"

#include <bit>

namespace ridge::tracer {

std::int64_t sign_extend(std::uint64_t value, unsigned bytes) {
    const unsigned unused = 64 - 8 * bytes;
    return static_cast<std::int64_t>(value << unused) >> unused;
}

std::uint64_t zero_extend(std::uint64_t value, unsigned bytes) {
    const unsigned unused = 64 - 8 * bytes;
    return value << unused >> unused;
}

bool Flags::carry() const {
    switch (from) {
        case From::subtraction:
            return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
        case From::addition:
            return static_cast<std::uint64_t>(result) < static_cast<std::uint64_t>(a);
        case From::logic:
            return false;
        default:
            return carry_given;
    }
}

bool Flags::overflow() const {
    switch (from) {
        case From::subtraction:
            return ((a ^ b) & (a ^ result)) < 0;
        case From::addition:
            return ((a ^ result) & (b ^ result)) < 0;
        case From::logic:
            return false;
        default:
            return overflow_given;
    }
}

bool Flags::parity() const {
    return std::popcount(static_cast<std::uint8_t>(result)) % 2 == 0;
}

bool Flags::holds(int condition) const {
    bool value = false;
    switch (condition >> 1) {
        case 0:
            value = overflow();
            break;
        case 1:
            value = carry();
            break;
        case 2:
            value = zero();
            break;
        case 3:
            value = carry() || zero();
            break;
        case 4:
            value = sign();
            break;
        case 5:
            value = parity();
            break;
        case 6:
            value = sign() != overflow();
            break;
        default:
            value = zero() || sign() != overflow();
    }
    return value != ((condition & 1) != 0);
}

Loaded State::read(const Operand& operand) {
    switch (operand.kind) {
        case OperandKind::general:
            return {zero_extend(general[operand.number], operand.bytes),
                    ((tainted >> operand.number) & 1) != 0};
        case OperandKind::high_byte:
            return {(general[operand.number] >> 8) & 0xff, ((tainted >> operand.number) & 1) != 0};
        case OperandKind::immediate:
            return {static_cast<std::uint64_t>(operand.immediate), false};
        case OperandKind::mask:
            return {zero_extend(mask[operand.number], operand.bytes),
                    ((mask_tainted >> operand.number) & 1) != 0};
        case OperandKind::memory: {
            if (is_tainted(operand.address)) {
                fail("an address that depends on data");
                return {0, true};
            }
            return memory.load(address(operand.address), operand.bytes);
        }
        default:
            return {0, true};
    }
}

void State::write(const Operand& operand, std::uint64_t value, bool taints) {
    switch (operand.kind) {
        case OperandKind::general: {
            std::uint64_t& whole = general[operand.number];
            if (operand.bytes == 8)
                whole = value;
            else if (operand.bytes == 4)
                whole = static_cast<std::uint32_t>(value);
            else
                whole = (whole & ~zero_extend(~std::uint64_t{0}, operand.bytes)) |
                        zero_extend(value, operand.bytes);
            // A part of a register leaves the rest as tainted as it was.
            const bool rest = operand.bytes < 4 && ((tainted >> operand.number) & 1) != 0;
            return taint(operand.number, taints || rest);
        }
        case OperandKind::high_byte:
            general[operand.number] =
                (general[operand.number] & ~std::uint64_t{0xff00}) | ((value & 0xff) << 8);
            if (taints) taint(operand.number, true);
            return;
        case OperandKind::mask:
            mask[operand.number] = zero_extend(value, operand.bytes);
            mask_tainted = static_cast<std::uint8_t>((mask_tainted & ~(1U << operand.number)) |
                                                     (taints ? 1U << operand.number : 0U));
            return;
        case OperandKind::memory:
            if (is_tainted(operand.address)) return fail("an address that depends on data");
            return memory.store(address(operand.address), operand.bytes, value, taints);
        default:
            return fail("a result that goes to a place unknown");
    }
}

}  // namespace ridge::tracer
