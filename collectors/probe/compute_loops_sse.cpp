// Scalar and 128-bit loops: legacy encoding without FMA (runs on every x86-64), VEX with FMA.
#include "collectors/probe/compute_loops.hpp"
#include "collectors/probe/kernel_loop.hpp"

namespace ridge::probe {

// a = a * x + y
#define FMA_SS(k) "vfmadd213ss %%xmm15, %%xmm14, %%xmm" #k "\n\t"
#define FMA_SD(k) "vfmadd213sd %%xmm15, %%xmm14, %%xmm" #k "\n\t"
#define FMA_PS(k) "vfmadd213ps %%xmm15, %%xmm14, %%xmm" #k "\n\t"
#define FMA_PD(k) "vfmadd213pd %%xmm15, %%xmm14, %%xmm" #k "\n\t"
RIDGE_KERNEL(scalar_fma_f32, "avx2,fma", vx, RIDGE_TIMES_12(FMA_SS))
RIDGE_KERNEL(scalar_fma_f64, "avx2,fma", vx, RIDGE_TIMES_12(FMA_SD))
RIDGE_KERNEL(sse_fma_f32, "avx2,fma", vx, RIDGE_TIMES_12(FMA_PS))
RIDGE_KERNEL(sse_fma_f64, "avx2,fma", vx, RIDGE_TIMES_12(FMA_PD))
RIDGE_KERNEL(scalar_fma_f32_chain, "avx2,fma", vx, RIDGE_CHAIN_16(FMA_SS))
RIDGE_KERNEL(scalar_fma_f64_chain, "avx2,fma", vx, RIDGE_CHAIN_16(FMA_SD))
RIDGE_KERNEL(sse_fma_f32_chain, "avx2,fma", vx, RIDGE_CHAIN_16(FMA_PS))
RIDGE_KERNEL(sse_fma_f64_chain, "avx2,fma", vx, RIDGE_CHAIN_16(FMA_PD))

#define MUL_SS(k) "mulss %%xmm14, %%xmm" #k "\n\t"
#define ADD_SS(k) "addss %%xmm15, %%xmm" #k "\n\t"
#define MUL_SD(k) "mulsd %%xmm14, %%xmm" #k "\n\t"
#define ADD_SD(k) "addsd %%xmm15, %%xmm" #k "\n\t"
#define MUL_PS(k) "mulps %%xmm14, %%xmm" #k "\n\t"
#define ADD_PS(k) "addps %%xmm15, %%xmm" #k "\n\t"
#define MUL_PD(k) "mulpd %%xmm14, %%xmm" #k "\n\t"
#define ADD_PD(k) "addpd %%xmm15, %%xmm" #k "\n\t"
RIDGE_KERNEL(scalar_mix_f32, "sse2", x, RIDGE_MIX_28(MUL_SS, ADD_SS))
RIDGE_KERNEL(scalar_mix_f64, "sse2", x, RIDGE_MIX_28(MUL_SD, ADD_SD))
RIDGE_KERNEL(sse_mix_f32, "sse2", x, RIDGE_MIX_28(MUL_PS, ADD_PS))
RIDGE_KERNEL(sse_mix_f64, "sse2", x, RIDGE_MIX_28(MUL_PD, ADD_PD))
RIDGE_KERNEL(scalar_mul_f32_chain, "sse2", x, RIDGE_CHAIN_16(MUL_SS))
RIDGE_KERNEL(scalar_mul_f64_chain, "sse2", x, RIDGE_CHAIN_16(MUL_SD))
RIDGE_KERNEL(sse_mul_f32_chain, "sse2", x, RIDGE_CHAIN_16(MUL_PS))
RIDGE_KERNEL(sse_mul_f64_chain, "sse2", x, RIDGE_CHAIN_16(MUL_PD))

}  // namespace ridge::probe
