#include "collectors/tracer/decoder.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "collectors/tracer/classify.hpp"

namespace ridge::tracer {
namespace {

using Named = std::pair<std::string_view, Operation>;

constexpr std::array scalar_operations{
    Named{"mov", Operation::mov},        Named{"movzx", Operation::movzx},
    Named{"movsx", Operation::movsx},    Named{"movsxd", Operation::movsx},
    Named{"lea", Operation::lea},        Named{"add", Operation::add},
    Named{"adc", Operation::adc},        Named{"sub", Operation::sub},
    Named{"sbb", Operation::sbb},        Named{"cmp", Operation::cmp},
    Named{"test", Operation::test},      Named{"and", Operation::bit_and},
    Named{"or", Operation::bit_or},      Named{"xor", Operation::bit_xor},
    Named{"not", Operation::bit_not},    Named{"neg", Operation::neg},
    Named{"inc", Operation::inc},        Named{"dec", Operation::dec},
    Named{"shl", Operation::shl},        Named{"shr", Operation::shr},
    Named{"sar", Operation::sar},        Named{"shlx", Operation::shlx},
    Named{"shrx", Operation::shrx},      Named{"sarx", Operation::sarx},
    Named{"imul", Operation::imul},      Named{"mul", Operation::mul},
    Named{"div", Operation::div},        Named{"idiv", Operation::idiv},
    Named{"cdq", Operation::cdq},        Named{"cqo", Operation::cqo},
    Named{"cdqe", Operation::cdqe},      Named{"push", Operation::push},
    Named{"pop", Operation::pop},        Named{"xchg", Operation::xchg},
    Named{"xadd", Operation::xadd},      Named{"bsf", Operation::bsf},
    Named{"tzcnt", Operation::tzcnt},    Named{"lzcnt", Operation::lzcnt},
    Named{"popcnt", Operation::popcnt},  Named{"bzhi", Operation::bzhi},
    Named{"andn", Operation::andn},      Named{"blsr", Operation::blsr},
    Named{"nop", Operation::nothing},    Named{"endbr64", Operation::nothing},
    Named{"lfence", Operation::nothing}, Named{"sfence", Operation::nothing},
    Named{"mfence", Operation::nothing}, Named{"pause", Operation::pause},
};

/// Without the letter for the width.
constexpr std::array mask_operations{
    Named{"kmov", Operation::kmov},       Named{"kandn", Operation::kandn},
    Named{"kand", Operation::kand},       Named{"kortest", Operation::kortest},
    Named{"ktest", Operation::ktest},     Named{"kor", Operation::kor},
    Named{"kxor", Operation::kxor},       Named{"kxnor", Operation::kxnor},
    Named{"knot", Operation::knot},       Named{"kadd", Operation::kadd},
    Named{"kshiftl", Operation::kshiftl}, Named{"kshiftr", Operation::kshiftr},
};

template <std::size_t N>
Operation look_up(const std::array<Named, N>& table, std::string_view name) {
    for (const Named& entry : table)
        if (entry.first == name) return entry.second;
    return Operation::unsupported;
}

/// Number of the condition in machine code; 16 for a suffix that is none.
std::uint8_t condition_of(std::string_view suffix) {
    constexpr std::array<std::string_view, 16> conditions{
        "o", "no", "b", "nb", "z", "nz", "be", "nbe", "s", "ns", "p", "np", "l", "nl", "le", "nle"};
    return static_cast<std::uint8_t>(std::find(conditions.begin(), conditions.end(), suffix) -
                                     conditions.begin());
}

const ZydisDecoder& decoder() {
    static const ZydisDecoder instance = [] {
        ZydisDecoder d;
        ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        return d;
    }();
    return instance;
}

struct Decoded {
    ZydisDecodedInstruction instruction;
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
};

bool decode_raw(std::span<const std::uint8_t> code, Decoded& out) {
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder(), code.data(), code.size(),
                                               &out.instruction, out.operands.data()));
}

std::uint8_t general_number(ZydisRegister reg) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15) return no_register;
    return static_cast<std::uint8_t>(whole - ZYDIS_REGISTER_RAX);
}

Address address_of(const ZydisDecodedOperand& operand, std::uint64_t next) {
    const auto& memory = operand.mem;
    Address address;
    if (memory.disp.has_displacement) address.displacement = memory.disp.value;
    if (memory.base == ZYDIS_REGISTER_RIP) {
        address.displacement += static_cast<std::int64_t>(next);
        return address;
    }
    if (memory.base != ZYDIS_REGISTER_NONE) address.base = general_number(memory.base);
    if (memory.index != ZYDIS_REGISTER_NONE) {
        address.index = general_number(memory.index);
        address.shift = static_cast<std::uint8_t>(memory.scale == 8   ? 3
                                                  : memory.scale == 4 ? 2
                                                  : memory.scale == 2 ? 1
                                                                      : 0);
    }
    return address;
}

void set_register(Operand& out, ZydisRegister reg) {
    switch (ZydisRegisterGetClass(reg)) {
        case ZYDIS_REGCLASS_XMM:
        case ZYDIS_REGCLASS_YMM:
        case ZYDIS_REGCLASS_ZMM:
            out.kind = OperandKind::vector;
            out.number = static_cast<std::uint8_t>(ZydisRegisterGetId(reg));
            return;
        case ZYDIS_REGCLASS_MASK:
            out.kind = OperandKind::mask;
            out.number = static_cast<std::uint8_t>(ZydisRegisterGetId(reg));
            return;
        default:
            break;
    }
    if (reg >= ZYDIS_REGISTER_TMM0 && reg <= ZYDIS_REGISTER_TMM7) {
        out.kind = OperandKind::tile;
        out.number = static_cast<std::uint8_t>(reg - ZYDIS_REGISTER_TMM0);
        return;
    }
    const std::uint8_t number = general_number(reg);
    if (number == no_register) return;  // segment, x87...: none
    const bool high = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
    out.kind = high ? OperandKind::high_byte : OperandKind::general;
    out.number = number;
}

Operand operand_of(const ZydisDecodedOperand& in, std::uint64_t next) {
    Operand out;
    out.bytes = static_cast<std::uint16_t>(in.size / 8);
    out.read = (in.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    out.written = (in.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (in.type == ZYDIS_OPERAND_TYPE_REGISTER) {
        set_register(out, in.reg.value);
    } else if (in.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        out.kind = OperandKind::immediate;
        out.immediate = in.imm.value.s;
    } else if (in.type == ZYDIS_OPERAND_TYPE_MEMORY) {
        out.kind = OperandKind::memory;
        out.address = address_of(in, next);
        if (in.mem.type == ZYDIS_MEMOP_TYPE_AGEN) out.read = out.written = false;
    }
    return out;
}

bool uses_vectors(const Instruction& i) {
    return std::any_of(i.operands.begin(), i.operands.end(),
                       [](const Operand& o) { return o.kind == OperandKind::vector; });
}

bool same_register(const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.number == b.number && a.kind == OperandKind::vector;
}

/// What is known about the written vector register afterwards.
LaneEffect lane_effect(const Instruction& i, std::string_view name) {
    const Operand& to = i.operands[0];
    if (to.kind != OperandKind::vector || !to.written) return LaneEffect::none;
    if (i.mask != 0) return LaneEffect::unknown;
    const Operand& from = i.operands[1];
    const Operand& second = i.operand_count > 2 ? i.operands[2] : i.operands[1];
    const bool three = i.operand_count > 2;
    if (name.starts_with('v')) name.remove_prefix(1);
    const bool with_itself = three ? same_register(from, second) : same_register(to, from);
    if ((name.starts_with("xor") || name.starts_with("pxor")) && with_itself)
        return LaneEffect::zero;
    if (name.starts_with("pcmpeq") && with_itself) return LaneEffect::ones;
    if (name == "movd" || name == "movq") {
        if (from.kind == OperandKind::general) return LaneEffect::general;
        return from.kind == OperandKind::memory ? LaneEffect::load : LaneEffect::unknown;
    }
    if (name == "pinsrq" && second.kind == OperandKind::general) return LaneEffect::insert;
    if (name == "movss" || name.starts_with("movup") || name.starts_with("movap") ||
        name.starts_with("movdq")) {
        if (from.kind == OperandKind::memory) return LaneEffect::load;
        return three || name == "movss" ? LaneEffect::unknown : LaneEffect::copy;
    }
    if (name == "broadcastss" || name == "pbroadcastd")
        return from.kind == OperandKind::memory   ? LaneEffect::broadcast_load
               : from.kind == OperandKind::vector ? LaneEffect::broadcast
                                                  : LaneEffect::unknown;
    const bool by_immediate =
        three && from.kind == OperandKind::vector && second.kind == OperandKind::immediate;
    if (name == "pslld" && by_immediate) return LaneEffect::shift_left;
    if (name == "psrld" && by_immediate) return LaneEffect::shift_right;
    return LaneEffect::unknown;
}

Operation vector_operation(const Instruction& i, std::string_view name) {
    if (name.starts_with('v')) name.remove_prefix(1);
    if (name == "ucomiss" || name == "comiss") return Operation::compare_lane;
    if (name == "ucomisd" || name == "comisd" || name.starts_with("ptest") ||
        name.starts_with("testp"))
        return Operation::flags_from_vector;
    const Operand& to = i.operands[0];
    const Operand& from = i.operands[1];
    if (to.kind == OperandKind::general) return Operation::vector_to_general;
    if (to.kind == OperandKind::vector && (name == "movd" || name == "movq") &&
        from.kind == OperandKind::general)
        return Operation::general_to_vector;
    if (name == "pinsrq") return Operation::general_to_vector;
    if (name == "maskmovdqu") return Operation::unsupported;  // its address is no operand
    return Operation::vector;
}

VectorWidth width_of(const Decoded& d, const VectorWork& work) {
    const bool broadcasts = d.instruction.mnemonic == ZYDIS_MNEMONIC_VBROADCASTSS ||
                            d.instruction.mnemonic == ZYDIS_MNEMONIC_VBROADCASTSD;
    if (work.one_lane && !broadcasts) return VectorWidth::lane;
    switch (d.instruction.avx.vector_length) {
        case 512:
            return VectorWidth::bits512;
        case 256:
            return VectorWidth::bits256;
        default:
            return VectorWidth::bits128;
    }
}

int bits_of(VectorWidth width) {
    return width == VectorWidth::bits512 ? 512 : width == VectorWidth::bits256 ? 256 : 128;
}

void describe_vector(Instruction& out, const Decoded& d) {
    const VectorWork work = vector_work(out.name);
    out.kind = work.kind;
    out.width = width_of(d, work);
    out.type = work.type;
    if (work.one_lane)
        out.lanes = 1;
    else
        out.lanes = static_cast<std::uint8_t>(bits_of(out.width) / (8 * work.element_bytes));
    out.flops_per_lane = work.flops_per_lane;
    out.integer_ops_per_lane = work.integer_ops_per_lane;
    const auto& avx = d.instruction.avx;
    if (avx.mask.reg > ZYDIS_REGISTER_K0 && avx.mask.reg <= ZYDIS_REGISTER_K7)
        out.mask = static_cast<std::uint8_t>(avx.mask.reg - ZYDIS_REGISTER_K0);
    const std::string_view name = out.name;
    const bool broadcasts = name.find("broadcast") != std::string_view::npos;
    out.broadcast = broadcasts || avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
    // vbroadcastss: "ss" is what is read, and from memory the load port does it all.
    if (broadcasts && out.operands[1].kind == OperandKind::memory)
        out.kind = InstructionClass::move;
    out.non_temporal = name.find("movnt") != std::string_view::npos;
    out.indexed = name.find("gather") != std::string_view::npos ||
                  name.find("scatter") != std::string_view::npos;
    out.vector_mask = name.starts_with("vmaskmovp") || name.starts_with("vpmaskmov");
    out.legacy_sse = d.instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    const Operand& to = out.operands[0];
    out.dirties_upper = !out.legacy_sse && to.kind == OperandKind::vector && to.written &&
                        to.number < 16 && avx.vector_length >= 256;
    for (std::size_t i = 0; i < d.instruction.operand_count; ++i) {
        const ZydisDecodedOperand& operand = d.operands[i];
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.element_size >= 8)
            out.mask_element = static_cast<std::uint8_t>(operand.element_size / 8);
    }
    out.lanes_after = lane_effect(out, name);
    out.operation = vector_operation(out, name);
}

/// Instructions of AMX. Shapes of tiles are known when they run, so lanes are none here.
bool describe_tile(Instruction& out) {
    const std::string_view name = out.name;
    const auto is = [&](Operation operation, InstructionClass kind) {
        out.operation = operation;
        out.kind = kind;
        out.width = VectorWidth::tile;
        return true;
    };
    if (name == "ldtilecfg") return is(Operation::tile_configure, InstructionClass::move);
    if (name == "tilerelease") return is(Operation::tile_release, InstructionClass::other);
    if (name == "tilezero" || name == "tilestored" || name.starts_with("tileload"))
        return is(Operation::tile_move, InstructionClass::move);
    if (!name.starts_with("tdp")) return false;
    // Elements of 32 bits, each the sum of two products of 16 bits or of four of 8 bits.
    const bool pairs = name.ends_with("ps");
    out.lanes = 1;
    out.flops_per_lane = pairs ? 4 : 0;
    out.integer_ops_per_lane = pairs ? 0 : 8;
    out.type = name == "tdpfp16ps" ? DataType::f16 : pairs ? DataType::bf16 : DataType::s8;
    return is(Operation::tile_product, InstructionClass::dot);
}

/// kmovw, kandq: the letter at the end is the width of the operation.
void describe_mask(Instruction& out) {
    std::string_view name = out.name;
    const char letter = name.back();
    name.remove_suffix(1);
    out.operation = look_up(mask_operations, name);
    const int bytes = letter == 'b' ? 1 : letter == 'w' ? 2 : letter == 'd' ? 4 : 8;
    for (Operand& operand : out.operands)
        if (operand.kind == OperandKind::mask || operand.kind == OperandKind::memory)
            operand.bytes = static_cast<std::uint16_t>(bytes);
    out.kind = InstructionClass::mask;
}

void describe_scalar(Instruction& out, const Decoded& d) {
    const std::string_view name = out.name;
    out.kind = InstructionClass::scalar;
    const ZydisInstructionCategory category = d.instruction.meta.category;
    if (category == ZYDIS_CATEGORY_COND_BR && name.starts_with('j')) {
        out.kind = InstructionClass::branch;
        out.condition = condition_of(name.substr(1));
        out.operation = out.condition < 16 ? Operation::branch : Operation::unsupported;
    } else if (name == "jmp" || name == "call" || name == "ret") {
        out.kind = InstructionClass::branch;
        out.operation = name == "jmp"    ? Operation::jump
                        : name == "call" ? Operation::call
                                         : Operation::ret;
    } else if (name.starts_with("prefetch")) {
        out.kind = InstructionClass::prefetch;
        out.operation = Operation::prefetch;
    } else if (name.starts_with("cmov")) {
        out.condition = condition_of(name.substr(4));
        out.operation = Operation::cmov;
    } else if (name.starts_with("set")) {
        out.condition = condition_of(name.substr(3));
        out.operation = out.condition < 16 ? Operation::set : Operation::unsupported;
    } else {
        out.operation = look_up(scalar_operations, name);
        if (out.operation == Operation::nothing || out.operation == Operation::pause)
            out.kind = InstructionClass::other;
    }
}

void add_operands(Instruction& out, const Decoded& d) {
    const std::uint64_t next = out.address + d.instruction.length;
    for (std::size_t i = 0; i < d.instruction.operand_count_visible; ++i) {
        const ZydisDecodedOperand& operand = d.operands[i];
        if (operand.encoding == ZYDIS_OPERAND_ENCODING_MASK) continue;
        if (out.operand_count == out.operands.size()) break;
        if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative) {
            out.direct = true;
            out.target = next + static_cast<std::uint64_t>(operand.imm.value.s);
        }
        out.operands[out.operand_count++] = operand_of(operand, next);
    }
}

}  // namespace

std::optional<Instruction> decode(std::span<const std::uint8_t> code, std::uint64_t address) {
    Decoded decoded;
    if (!decode_raw(code, decoded)) return std::nullopt;
    Instruction out;
    out.address = address;
    out.length = decoded.instruction.length;
    out.name = ZydisMnemonicGetString(decoded.instruction.mnemonic);
    out.locked = (decoded.instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
    add_operands(out, decoded);
    const bool mask_instruction = out.name.front() == 'k';
    if (out.name == "vzeroupper" || out.name == "vzeroall") {
        out.operation = Operation::zero_upper;
        out.kind = InstructionClass::other;
    } else if (describe_tile(out)) {
        out.broadcast = false;
    } else if (mask_instruction) {
        describe_mask(out);
    } else if (uses_vectors(out)) {
        describe_vector(out, decoded);
    } else {
        describe_scalar(out, decoded);
    }
    // Repeated string instructions touch memory that no operand tells of.
    if ((decoded.instruction.attributes &
         (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0)
        out.operation = Operation::unsupported;
    return out;
}

std::optional<Relocation> relocation(std::span<const std::uint8_t> code) {
    Decoded decoded;
    if (!decode_raw(code, decoded)) return std::nullopt;
    const auto category = decoded.instruction.meta.category;
    const bool relative = (decoded.instruction.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
    return Relocation{decoded.instruction.length, !relative && category != ZYDIS_CATEGORY_RET &&
                                                      category != ZYDIS_CATEGORY_CALL &&
                                                      category != ZYDIS_CATEGORY_UNCOND_BR};
}

}  // namespace ridge::tracer
