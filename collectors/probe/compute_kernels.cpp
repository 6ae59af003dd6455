#include "collectors/probe/compute_kernels.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "collectors/probe/compute_loops.hpp"
#include "ridge/error.hpp"

namespace ridge::probe {
namespace {

constexpr ComputeKernel fma_kernel(Isa isa, DataType dtype, int lanes, KernelLoop loop,
                                   KernelLoop chain) {
    return {isa, true, dtype, lanes, 2, loop, 12, 12, chain, 16};
}

constexpr ComputeKernel mix_kernel(Isa isa, DataType dtype, int lanes, KernelLoop loop,
                                   KernelLoop chain) {
    return {isa, false, dtype, lanes, 1, loop, 14, 28, chain, 16};
}

constexpr auto f32 = DataType::f32;
constexpr auto f64 = DataType::f64;

constexpr std::array table{
    mix_kernel(Isa::scalar, f32, 1, scalar_mix_f32, scalar_mul_f32_chain),
    mix_kernel(Isa::scalar, f64, 1, scalar_mix_f64, scalar_mul_f64_chain),
    fma_kernel(Isa::scalar, f32, 1, scalar_fma_f32, scalar_fma_f32_chain),
    fma_kernel(Isa::scalar, f64, 1, scalar_fma_f64, scalar_fma_f64_chain),
    mix_kernel(Isa::sse, f32, 4, sse_mix_f32, sse_mul_f32_chain),
    mix_kernel(Isa::sse, f64, 2, sse_mix_f64, sse_mul_f64_chain),
    fma_kernel(Isa::sse, f32, 4, sse_fma_f32, sse_fma_f32_chain),
    fma_kernel(Isa::sse, f64, 2, sse_fma_f64, sse_fma_f64_chain),
    mix_kernel(Isa::avx2, f32, 8, avx2_mix_f32, avx2_mul_f32_chain),
    mix_kernel(Isa::avx2, f64, 4, avx2_mix_f64, avx2_mul_f64_chain),
    fma_kernel(Isa::avx2, f32, 8, avx2_fma_f32, avx2_fma_f32_chain),
    fma_kernel(Isa::avx2, f64, 4, avx2_fma_f64, avx2_fma_f64_chain),
    mix_kernel(Isa::avx512, f32, 16, avx512_mix_f32, avx512_mul_f32_chain),
    mix_kernel(Isa::avx512, f64, 8, avx512_mix_f64, avx512_mul_f64_chain),
    fma_kernel(Isa::avx512, f32, 16, avx512_fma_f32, avx512_fma_f32_chain),
    fma_kernel(Isa::avx512, f64, 8, avx512_fma_f64, avx512_fma_f64_chain),
    ComputeKernel{Isa::avx512_bf16, true, DataType::bf16, 16, 4, avx512_dot_bf16, 12, 12,
                  avx512_dot_bf16_chain, 16},
    ComputeKernel{Isa::avx512_vnni, true, DataType::s8, 16, 8, avx512_dot_s8, 12, 12,
                  avx512_dot_s8_chain, 16},
    // A tile instruction updates 16 x 16 elements with 32 bf16 or 64 int8 products each.
    ComputeKernel{Isa::amx, true, DataType::bf16, 256, 64, amx_dot_bf16, 6, 6, amx_dot_bf16_chain,
                  8},
    ComputeKernel{Isa::amx, true, DataType::s8, 256, 128, amx_dot_s8, 6, 6, amx_dot_s8_chain, 8},
};

/// Writes `value` into every element of a 64-byte register image.
template <class T>
void broadcast(std::byte* image, T value) {
    for (std::size_t at = 0; at < register_bytes; at += sizeof(T))
        std::memcpy(image + at, &value, sizeof(T));
}

/// bf16 is the upper half of f32; the values used here have no lower half.
std::uint16_t to_bf16(double value) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >>
                                      16);
}

template <class T>
double sum_of(const std::byte* image, int lanes) {
    double sum = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        T value;
        std::memcpy(&value, image + static_cast<std::size_t>(lane) * sizeof(T), sizeof(T));
        sum += static_cast<double>(value);
    }
    return sum;
}

}  // namespace

std::span<const ComputeKernel> compute_kernels() {
    return table;
}

void fill(KernelState& state, const ComputeKernel& kernel, double x, double y, double start) {
    const auto accumulate = [&](auto value) {
        for (int k = 0; k < accumulators_max; ++k)
            broadcast(state.accumulators + k * register_bytes, value);
    };
    switch (kernel.dtype) {
        case DataType::f32:
            broadcast(state.x, static_cast<float>(x));
            broadcast(state.y, static_cast<float>(y));
            return accumulate(static_cast<float>(start));
        case DataType::f64:
            broadcast(state.x, x);
            broadcast(state.y, y);
            return accumulate(start);
        case DataType::bf16:
            broadcast(state.x, to_bf16(x));
            broadcast(state.y, to_bf16(y));
            return accumulate(static_cast<float>(start));
        case DataType::s8:
            broadcast(state.x, static_cast<std::int8_t>(x));
            broadcast(state.y, static_cast<std::int8_t>(y));
            return accumulate(static_cast<std::int32_t>(start));
        default:
            throw job_failed("probe kernel", "no operands for this data type");
    }
}

double lane_sum(const KernelState& state, const ComputeKernel& kernel, int accumulator) {
    const std::byte* image = state.accumulators + accumulator * register_bytes;
    if (kernel.dtype == DataType::f64) return sum_of<double>(image, kernel.lanes);
    // Of a tile, the first row is kept: 16 of its 256 equal elements.
    const int lanes = kernel.isa == Isa::amx ? 16 : kernel.lanes;
    if (kernel.dtype == DataType::s8) return sum_of<std::int32_t>(image, lanes);
    return sum_of<float>(image, lanes);
}

std::uint32_t integer_chain(std::int64_t turns) {
    std::uint32_t value = 1;
    const std::uint32_t factor = 3;
    asm volatile(
        ".p2align 6\n"
        "1:\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "imul %[factor], %[value]\n\t imul %[factor], %[value]\n\t"
        "dec %[turns]\n\t"
        "jnz 1b\n\t"
        : [turns] "+r"(turns), [value] "+r"(value)
        : [factor] "r"(factor)
        : "cc");
    return value;
}

}  // namespace ridge::probe
