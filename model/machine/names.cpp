// The words of machine files.

#include <array>

#include "ridge/machine.hpp"

namespace ridge {
namespace {

struct IsaWord {
    Isa isa;
    std::string_view word;
};
constexpr std::array isa_words{IsaWord{Isa::scalar, "scalar"},
                               IsaWord{Isa::sse, "sse"},
                               IsaWord{Isa::avx2, "avx2"},
                               IsaWord{Isa::avx512, "avx512"},
                               IsaWord{Isa::avx512_bf16, "avx512_bf16"},
                               IsaWord{Isa::avx512_vnni, "avx512_vnni"},
                               IsaWord{Isa::amx, "amx"},
                               IsaWord{Isa::simt, "simt"},
                               IsaWord{Isa::tensor, "tensor"}};

}  // namespace

std::string_view to_string(Isa isa) {
    for (const auto& entry : isa_words)
        if (entry.isa == isa) return entry.word;
    return "?";
}

std::optional<Isa> isa_from_string(std::string_view word) {
    for (const auto& entry : isa_words)
        if (entry.word == word) return entry.isa;
    return std::nullopt;
}

std::string_view to_string(AccessKind kind) {
    switch (kind) {
        case AccessKind::read:
            return "read";
        case AccessKind::write:
            return "write";
        case AccessKind::copy:
            return "copy";
        case AccessKind::triad:
            return "triad";
    }
    return "?";
}

std::optional<AccessKind> access_kind_from_string(std::string_view word) {
    for (const auto kind :
         {AccessKind::read, AccessKind::write, AccessKind::copy, AccessKind::triad})
        if (to_string(kind) == word) return kind;
    return std::nullopt;
}

}  // namespace ridge
