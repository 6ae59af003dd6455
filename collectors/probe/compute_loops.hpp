// The assembly loops behind compute_kernels(); one line per translation unit that defines them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::probe {

#define RIDGE_DECLARE_LOOP(name) \
    void name(std::int64_t iterations, const std::byte* x, const std::byte* y, std::byte* acc);
#define RIDGE_DECLARE_FLOAT_LOOPS(isa)      \
    RIDGE_DECLARE_LOOP(isa##_fma_f32)       \
    RIDGE_DECLARE_LOOP(isa##_fma_f32_chain) \
    RIDGE_DECLARE_LOOP(isa##_fma_f64)       \
    RIDGE_DECLARE_LOOP(isa##_fma_f64_chain) \
    RIDGE_DECLARE_LOOP(isa##_mix_f32)       \
    RIDGE_DECLARE_LOOP(isa##_mul_f32_chain) \
    RIDGE_DECLARE_LOOP(isa##_mix_f64) RIDGE_DECLARE_LOOP(isa##_mul_f64_chain)

RIDGE_DECLARE_FLOAT_LOOPS(scalar)    // compute_loops_sse.cpp
RIDGE_DECLARE_FLOAT_LOOPS(sse)       // compute_loops_sse.cpp
RIDGE_DECLARE_FLOAT_LOOPS(avx2)      // compute_loops_avx.cpp
RIDGE_DECLARE_FLOAT_LOOPS(avx512)    // compute_loops_avx.cpp
RIDGE_DECLARE_LOOP(avx512_dot_bf16)  // compute_loops_dot.cpp
RIDGE_DECLARE_LOOP(avx512_dot_bf16_chain)
RIDGE_DECLARE_LOOP(avx512_dot_s8)
RIDGE_DECLARE_LOOP(avx512_dot_s8_chain)
RIDGE_DECLARE_LOOP(amx_dot_bf16)
RIDGE_DECLARE_LOOP(amx_dot_bf16_chain)
RIDGE_DECLARE_LOOP(amx_dot_s8)
RIDGE_DECLARE_LOOP(amx_dot_s8_chain)

#undef RIDGE_DECLARE_FLOAT_LOOPS
#undef RIDGE_DECLARE_LOOP

}  // namespace ridge::probe
