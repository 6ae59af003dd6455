#include <doctest/doctest.h>

#include <vector>

#include "collectors/tracer/decoder.hpp"

using namespace ridge;
using namespace ridge::tracer;

TEST_SUITE("smoke") {
    TEST_CASE("a multiply-add with a broadcast operand") {
        // vfmadd231ps zmm1, zmm0, dword [rsi + 4]{1to16}
        const std::vector<std::uint8_t> code{0x62, 0xf2, 0x7d, 0x58, 0xb8, 0x4e, 0x01};
        const auto i = decode(code, 0x1000);
        REQUIRE(i);
        CHECK(i->length == 7);
        CHECK(i->kind == InstructionClass::fp_fma);
        CHECK(i->width == VectorWidth::bits512);
        CHECK(i->lanes == 16);
        CHECK(i->flops_per_lane == 2);
        CHECK(i->broadcast);
        CHECK(i->operands[2].kind == OperandKind::memory);
        CHECK(i->operands[2].bytes == 4);
        CHECK(i->operands[2].address.base == 6);
        CHECK(i->operands[2].address.displacement == 4);
    }

    TEST_CASE("a broadcast from memory is a load of a whole vector register") {
        // vbroadcastss zmm1, dword [rsi]
        const std::vector<std::uint8_t> code{0x62, 0xf2, 0x7d, 0x48, 0x18, 0x0e};
        const auto i = decode(code, 0x1000);
        REQUIRE(i);
        CHECK(i->kind == InstructionClass::move);
        CHECK(i->width == VectorWidth::bits512);
        CHECK(i->broadcast);
        CHECK(i->operands[1].bytes == 4);
        CHECK(i->flops_per_lane == 0);
    }
}
