// Machine code to instructions, with Zydis behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collectors/tracer/code_map.hpp"
#include "collectors/tracer/instruction.hpp"

namespace ridge::tracer {

/// Decodes the instruction that starts `code` and lies at `address`. Nothing for bytes that are no
/// instruction.
[[nodiscard]] std::optional<Instruction> decode(std::span<const std::uint8_t> code,
                                                std::uint64_t address);

/// Whether `wanted` holds for an instruction of the function. Constants in the code are swept over
/// as if they were instructions, so the answer may be yes where no is right.
template <class Predicate>
[[nodiscard]] bool any_instruction(const Function& function, Predicate wanted) {
    std::uint64_t at = function.address;
    while (at < function.end()) {
        const auto instruction = decode(function.code_at(at), at);
        if (instruction && wanted(*instruction)) return true;
        at += instruction ? instruction->length : 1;
    }
    return false;
}

/// What a hook must know about an instruction that it moves elsewhere.
struct Relocation {
    std::uint8_t length = 0;
    bool movable = false;  ///< means the same at another address
};
[[nodiscard]] std::optional<Relocation> relocation(std::span<const std::uint8_t> code);

}  // namespace ridge::tracer
