// Instructions with known counts: written in assembly, so the assembler is the independent party.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/tracer/assembled.hpp"
#include "tests/tracer/traced_layer.hpp"

using namespace ridge;
using namespace ridge::test;

RIDGE_ASSEMBLED(ridge_test_weights,
                ".rept 10\n vaddss xmm0, xmm1, xmm2\n.endr\n"
                ".rept 20\n vaddps xmm0, xmm1, xmm2\n.endr\n"
                ".rept 30\n vaddps ymm0, ymm1, ymm2\n.endr\n"
                ".rept 40\n vaddps zmm0, zmm1, zmm2\n.endr\n");
RIDGE_ASSEMBLED(ridge_test_double_weights,
                "vaddsd xmm0, xmm1, xmm2\n vmulpd xmm0, xmm1, xmm2\n vsubpd ymm0, ymm1, ymm2\n"
                "vdivpd zmm0, zmm1, zmm2\n");
RIDGE_ASSEMBLED(ridge_test_multiply_adds, ".rept 15\n vfmadd231ps ymm0, ymm1, ymm2\n.endr\n");
RIDGE_ASSEMBLED(ridge_test_masked_lanes,
                "mov eax, 0x1f\n kmovw k1, eax\n vaddps zmm0{k1}, zmm1, zmm2\n");
RIDGE_ASSEMBLED(ridge_test_chain,
                "mov ecx, 10\n1:\n"
                "vfmadd231ps zmm0, zmm1, zmm2\n vfmadd231ps zmm0, zmm3, zmm4\n"
                "vfmadd213ps zmm0, zmm5, [rdi]\n"  // three, each waits for the one before
                "vfmadd231ps zmm6, zmm1, zmm2\n vmovaps zmm7, zmm6\n"
                "dec rcx\n jnz 1b\n");
RIDGE_ASSEMBLED(ridge_test_dot_products,
                "vdpbf16ps zmm0, zmm1, zmm2\n vpdpbusd zmm0, zmm1, zmm2\n"
                "vpdpwssd ymm0, ymm1, ymm2\n");
RIDGE_ASSEMBLED(ridge_test_ports,
                "vfmadd231ps zmm0, zmm1, [rdi]\n vmovups [rsi], zmm0\n vpermps zmm0, zmm1, zmm2\n"
                "vpaddd zmm0, zmm1, zmm2\n vdivps zmm0, zmm1, zmm2\n kxnorw k1, k1, k1\n"
                "prefetcht0 [rdi]\n vbroadcastss zmm3, [rdi]\n vxorps xmm4, xmm4, xmm4\n"
                "add rdi, 64\n");
RIDGE_ASSEMBLED(ridge_test_transitions,
                "mov ecx, 7\n1:\n vaddps ymm0, ymm1, ymm2\n movq xmm3, rax\n dec rcx\n jnz 1b\n");
RIDGE_ASSEMBLED(ridge_test_no_transitions,
                "mov ecx, 7\n1:\n vaddps ymm0, ymm1, ymm2\n vzeroupper\n movq xmm3, rax\n"
                "vmovq xmm3, rax\n dec rcx\n jnz 1b\n");
RIDGE_ASSEMBLED(ridge_test_gather, "kxnorw k1, k1, k1\n vgatherdps zmm0{k1}, [rdi + 4*zmm1]\n");
RIDGE_ASSEMBLED(ridge_test_scatter, "kxnorw k1, k1, k1\n vscatterdps [rdi + 4*zmm1]{k1}, zmm0\n");
RIDGE_ASSEMBLED(ridge_test_unknown_instruction, "cpuid\n");
RIDGE_ASSEMBLED(ridge_test_branch_on_data,
                "vcmpltps k1, zmm0, zmm1\n kortestw k1, k1\n jz 1f\n nop\n1:\n");
RIDGE_ASSEMBLED(ridge_test_mask_move,
                "vmovups ymm1, [rdi]\n vmaskmovps ymm0, ymm1, [rsi]\n"
                "vmaskmovps [rdx], ymm1, ymm0\n");
RIDGE_ASSEMBLED(ridge_test_mask_move_unknown,
                "vaddps ymm1, ymm2, ymm3\n vmaskmovps [rdx], ymm1, ymm0\n");
RIDGE_ASSEMBLED(ridge_test_tiles,
                "ldtilecfg [rdi]\n mov eax, 100\n tileloadd tmm1, [rsi + rax]\n"
                "tileloadd tmm2, [rsi + rax]\n tilezero tmm0\n"
                "tdpbf16ps tmm0, tmm1, tmm2\n tdpbf16ps tmm0, tmm1, tmm2\n"
                "tdpbssd tmm3, tmm4, tmm5\n tilestored [rdx + rax], tmm3\n tilerelease\n");
RIDGE_ASSEMBLED(ridge_test_tiles_without_shape, "tdpbf16ps tmm0, tmm1, tmm2\n");

#define EMULATE(name, ...) emulate(name, name##_end, arguments(__VA_ARGS__))

namespace {

std::uint64_t address_of(const void* data) {
    return reinterpret_cast<std::uint64_t>(data);
}

/// What ldtilecfg reads.
struct alignas(64) TileConfig {
    std::array<std::uint8_t, 64> bytes{};
    TileConfig() { bytes[0] = 1; }
    void shape(std::size_t tile, int rows, int row_bytes) {
        bytes[16 + 2 * tile] = static_cast<std::uint8_t>(row_bytes);
        bytes[48 + tile] = static_cast<std::uint8_t>(rows);
    }
};

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("one FLOP per lane, two per multiply-add, none for lanes that are off") {
        CHECK(EMULATE(ridge_test_weights).trace.counts.flops_f32 == 970);
        CHECK(EMULATE(ridge_test_double_weights).trace.counts.flops_f64 == 1 + 2 + 4 + 8);
        CHECK(EMULATE(ridge_test_multiply_adds).trace.counts.flops_f32 == 240);
        const KernelCounts masked = EMULATE(ridge_test_masked_lanes).trace.counts;
        CHECK(masked.flops_f32 == 5);
        CHECK(masked.masked_lanes == 11);
        // What a counter of retired instructions reads, which knows no masks.
        CHECK((masked.flops() + masked.masked_lanes) / masked.flops() == doctest::Approx(3.2));
    }

    TEST_CASE("the longest chain of dependent multiply-adds of the hot block") {
        std::array<float, 16> data{};
        const KernelCounts c = EMULATE(ridge_test_chain, address_of(data.data())).trace.counts;
        CHECK(c.hot_chain == 3);
        CHECK(c.hot_fmas == 4);
        CHECK(c.of(InstructionClass::fp_fma, VectorWidth::bits512) == 40);
        CHECK(c.of(InstructionClass::branch) == 11);
        CHECK(c.instructions == 1 + 10 * 7 + 1);
        CHECK(c.vector_loads.accesses == 10);
        CHECK(c.vector_loads.bytes == 640);
        CHECK(c.flops_f32 == 40 * 32);
    }

    TEST_CASE("dot products by their own weights") {
        const KernelCounts c = EMULATE(ridge_test_dot_products).trace.counts;
        CHECK(c.flops_bf16 == 16 * 4);
        CHECK(c.integer_ops == 16 * 8 + 8 * 4);
        CHECK(c.of(InstructionClass::dot) == 3);
        CHECK(c.of(InstructionClass::dot, VectorWidth::bits512) == 2);
        CHECK(c.of(InstructionClass::dot, VectorWidth::bits256) == 1);
    }

    TEST_CASE("operations by port class") {
        std::array<float, 32> data{};
        const KernelCounts c =
            EMULATE(ridge_test_ports, address_of(data.data()), address_of(data.data()))
                .trace.counts;
        const auto at = [&](PortClass ports) { return port_operations(c, ports); };
        CHECK(at(PortClass::load) == 4);  // operand, broadcast, prefetch, return address
        CHECK(at(PortClass::store) == 1);
        CHECK(at(PortClass::fp) == 1);
        CHECK(at(PortClass::divide) == 1);
        CHECK(at(PortClass::integer) == 2);
        CHECK(at(PortClass::shuffle) == 1);
        CHECK(at(PortClass::mask) == 1);
        CHECK(at(PortClass::scalar) == 1);
        CHECK(at(PortClass::branch) == 1);
        CHECK(at(PortClass::matrix) == 0);
    }

    TEST_CASE("transitions between legacy SSE and dirty upper halves") {
        CHECK(EMULATE(ridge_test_transitions).trace.counts.sse_transitions == 7);
        CHECK(EMULATE(ridge_test_no_transitions).trace.counts.sse_transitions == 0);
    }

    TEST_CASE("tiles: products by the shapes that were configured, rows as accesses") {
        TileConfig config;
        for (const std::size_t tile : {0U, 1U, 2U}) config.shape(tile, 16, 64);
        config.shape(3, 5, 12);  // 5 x 3 sums of 32 bits
        config.shape(4, 5, 8);   // 5 x 8 bytes
        config.shape(5, 2, 12);
        std::array<unsigned char, 4096> from{}, to{};
        LineRecorder lines;
        const Emulated e = emulate(
            ridge_test_tiles, ridge_test_tiles_end,
            arguments(address_of(&config), address_of(from.data()), address_of(to.data())), &lines);
        lines.finish();
        CHECK(e.failure == "");
        const KernelCounts& c = e.trace.counts;
        CHECK(c.flops_bf16 == 2 * (2.0 * 16 * 16 * 32));
        CHECK(c.integer_ops == 2.0 * 5 * 3 * 8);
        CHECK(c.masked_lanes == 0);
        CHECK(port_operations(c, PortClass::matrix) == 3);
        CHECK(c.of(InstructionClass::move, VectorWidth::tile) == 5);
        CHECK(c.vector_loads.accesses == 1 + 16 + 16);
        CHECK(c.vector_loads.bytes == 64 + 2 * 16 * 64);
        CHECK(c.vector_stores.accesses == 5);
        CHECK(c.vector_stores.bytes == 5 * 12);
        CHECK(c.hot_chain == 2);  // the two products into tile 0
        const std::uint64_t first = address_of(to.data()) / 64;
        const std::uint64_t last = (address_of(to.data()) + 4 * 100 + 11) / 64;
        CHECK(lines.written.front() == first);
        CHECK(lines.written.back() == last);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("what cannot be followed is refused by name, never guessed") {
        CHECK(EMULATE(ridge_test_gather).failure.find("vgatherdps") != std::string::npos);
        CHECK(EMULATE(ridge_test_scatter).failure.find("vscatterdps") != std::string::npos);
        CHECK(EMULATE(ridge_test_unknown_instruction).failure.find("cpuid") != std::string::npos);
        CHECK(EMULATE(ridge_test_branch_on_data).failure.find("a branch that depends on data") ==
              0);
        CHECK(EMULATE(ridge_test_mask_move_unknown).failure.find("a mask that depends on data") !=
              std::string::npos);
        CHECK(EMULATE(ridge_test_tiles_without_shape).failure.find("a tile without shape") == 0);
        TileConfig other;
        other.bytes[0] = 2;
        std::array<unsigned char, 64> data{};
        CHECK(EMULATE(ridge_test_tiles, address_of(&other), address_of(data.data()),
                      address_of(data.data()))
                  .failure.find("shapes of tiles that do not exist") == 0);
    }

    TEST_CASE("moves under a vector mask touch the elements whose sign is set") {
        alignas(32) std::array<std::int32_t, 8> mask{-1, -1, -1, -1, -1, 0, 0, 0};
        alignas(64) std::array<float, 32> from{}, to{};
        LineRecorder lines;
        const Emulated e = emulate(
            ridge_test_mask_move, ridge_test_mask_move_end,
            arguments(address_of(mask.data()), address_of(from.data()), address_of(to.data() + 11)),
            &lines);
        lines.finish();
        CHECK(e.failure == "");
        CHECK(e.trace.counts.vector_loads.accesses == 2);
        CHECK(e.trace.counts.vector_loads.bytes == 32 + 20);
        CHECK(e.trace.counts.vector_stores.bytes == 20);
        // Elements 11 to 15 end with the line.
        CHECK(std::find(lines.written.begin(), lines.written.end(), address_of(to.data()) / 64) !=
              lines.written.end());
        CHECK(std::find(lines.written.begin(), lines.written.end(),
                        address_of(to.data()) / 64 + 1) == lines.written.end());
    }
}
