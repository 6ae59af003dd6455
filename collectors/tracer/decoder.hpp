// Machine code to instructions, with Zydis behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collectors/tracer/instruction.hpp"

namespace ridge::tracer {

/// Decodes the instruction that starts `code` and lies at `address`. Nothing for bytes that are no
/// instruction.
[[nodiscard]] std::optional<Instruction> decode(std::span<const std::uint8_t> code,
                                                std::uint64_t address);

/// What a hook must know about an instruction that it moves elsewhere.
struct Relocation {
    std::uint8_t length = 0;
    bool movable = false;  ///< means the same at another address
};
[[nodiscard]] std::optional<Relocation> relocation(std::span<const std::uint8_t> code);

}  // namespace ridge::tracer
