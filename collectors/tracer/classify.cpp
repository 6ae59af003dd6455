#include "collectors/tracer/classify.hpp"

#include <array>

namespace ridge::tracer {
namespace {

struct Rule {
    std::string_view prefix;  ///< of the mnemonic without the leading v
    InstructionClass kind;
    std::uint8_t flops_per_lane = 0;  ///< of instructions that end in ps, pd, ss, sd, ph or sh
};

/// First match wins.
constexpr std::array rules{
    Rule{"fmadd", InstructionClass::fp_fma, 2},    Rule{"fmsub", InstructionClass::fp_fma, 2},
    Rule{"fnmadd", InstructionClass::fp_fma, 2},   Rule{"fnmsub", InstructionClass::fp_fma, 2},
    Rule{"dpbf16ps", InstructionClass::dot, 4},    Rule{"pdpb", InstructionClass::dot},
    Rule{"pdpw", InstructionClass::dot},           Rule{"addsub", InstructionClass::fp_add_mul, 1},
    Rule{"hadd", InstructionClass::fp_add_mul, 1}, Rule{"hsub", InstructionClass::fp_add_mul, 1},
    Rule{"add", InstructionClass::fp_add_mul, 1},  Rule{"sub", InstructionClass::fp_add_mul, 1},
    Rule{"mul", InstructionClass::fp_add_mul, 1},  Rule{"div", InstructionClass::fp_divide, 1},
    Rule{"sqrt", InstructionClass::fp_divide, 1},  Rule{"rcp", InstructionClass::fp_divide, 1},
    Rule{"rsqrt", InstructionClass::fp_divide, 1}, Rule{"max", InstructionClass::fp_compare},
    Rule{"min", InstructionClass::fp_compare},     Rule{"cmp", InstructionClass::fp_compare},
    Rule{"ucomi", InstructionClass::fp_compare},   Rule{"comi", InstructionClass::fp_compare},
    Rule{"fpclass", InstructionClass::fp_compare}, Rule{"cvt", InstructionClass::convert},
    Rule{"rndscale", InstructionClass::convert},   Rule{"round", InstructionClass::convert},
    Rule{"getexp", InstructionClass::convert},     Rule{"getmant", InstructionClass::convert},
    Rule{"scalef", InstructionClass::convert},     Rule{"fixupimm", InstructionClass::convert},
    Rule{"pmovmskb", InstructionClass::shuffle},   Rule{"pmovm2", InstructionClass::integer},
    Rule{"pmov", InstructionClass::convert},       Rule{"movnt", InstructionClass::move},
    Rule{"movmsk", InstructionClass::shuffle},     Rule{"movddup", InstructionClass::shuffle},
    Rule{"movs", InstructionClass::move},  // movss, movsd; movshdup and movsldup count alike
    Rule{"mov", InstructionClass::move},           Rule{"lddqu", InstructionClass::move},
    Rule{"maskmov", InstructionClass::move},       Rule{"broadcast", InstructionClass::shuffle},
    Rule{"pbroadcast", InstructionClass::shuffle}, Rule{"perm", InstructionClass::shuffle},
    Rule{"pperm", InstructionClass::shuffle},      Rule{"perm", InstructionClass::shuffle},
    Rule{"shuf", InstructionClass::shuffle},       Rule{"pshuf", InstructionClass::shuffle},
    Rule{"unpck", InstructionClass::shuffle},      Rule{"punpck", InstructionClass::shuffle},
    Rule{"blend", InstructionClass::shuffle},      Rule{"pblend", InstructionClass::shuffle},
    Rule{"pack", InstructionClass::shuffle},       Rule{"align", InstructionClass::shuffle},
    Rule{"palign", InstructionClass::shuffle},     Rule{"insert", InstructionClass::shuffle},
    Rule{"extract", InstructionClass::shuffle},    Rule{"pinsr", InstructionClass::shuffle},
    Rule{"pextr", InstructionClass::shuffle},      Rule{"expand", InstructionClass::shuffle},
    Rule{"compress", InstructionClass::shuffle},   Rule{"and", InstructionClass::logic},
    Rule{"or", InstructionClass::logic},           Rule{"xor", InstructionClass::logic},
    Rule{"pand", InstructionClass::logic},         Rule{"por", InstructionClass::logic},
    Rule{"pxor", InstructionClass::logic},         Rule{"ptern", InstructionClass::logic},
    Rule{"ptest", InstructionClass::logic},        Rule{"zero", InstructionClass::other},
    Rule{"p", InstructionClass::integer},
};

struct Suffix {
    std::string_view text;
    DataType type;
    std::uint8_t element_bytes;
    bool one_lane;
};
constexpr std::array suffixes{
    Suffix{"ps", DataType::f32, 4, false}, Suffix{"pd", DataType::f64, 8, false},
    Suffix{"ph", DataType::f16, 2, false}, Suffix{"ss", DataType::f32, 4, true},
    Suffix{"sd", DataType::f64, 8, true},  Suffix{"sh", DataType::f16, 2, true},
};

}  // namespace

VectorWork vector_work(std::string_view mnemonic) {
    VectorWork work;
    std::string_view name = mnemonic;
    if (name.starts_with('v')) name.remove_prefix(1);
    const Suffix* suffix = nullptr;
    // Names of integer instructions begin with p, and may end like the others: vpdpbusd, vpminsd.
    for (const Suffix& s : suffixes)
        if (!name.starts_with('p') && name.ends_with(s.text)) suffix = &s;
    if (suffix) {
        work.type = suffix->type;
        work.element_bytes = suffix->element_bytes;
        work.one_lane = suffix->one_lane;
    }
    for (const Rule& rule : rules) {
        if (!name.starts_with(rule.prefix)) continue;
        work.kind = rule.kind;
        if (suffix) work.flops_per_lane = rule.flops_per_lane;
        break;
    }
    if (name.starts_with("dpbf16ps")) work.type = DataType::bf16;
    // 32-bit results of four products of bytes, or two of words, and as many additions.
    if (name.starts_with("pdpb")) work.integer_ops_per_lane = 8;
    if (name.starts_with("pdpw")) work.integer_ops_per_lane = 4;
    return work;
}

}  // namespace ridge::tracer
