// What an instruction counts as, from its mnemonic: the vector extensions name their instructions
// systematically (vfmadd231ps: multiply-add, packed single).
#pragma once

#include <string_view>

#include "collectors/tracer/instruction.hpp"

namespace ridge::tracer {

/// Class, data type and work per lane of a vector instruction.
struct VectorWork {
    InstructionClass kind = InstructionClass::other;
    DataType type = DataType::f32;
    bool one_lane = false;           ///< "ss", "sd", "sh": works on the lowest element
    std::uint8_t element_bytes = 4;  ///< of the result
    std::uint8_t flops_per_lane = 0, integer_ops_per_lane = 0;
};
[[nodiscard]] VectorWork vector_work(std::string_view mnemonic);

}  // namespace ridge::tracer
