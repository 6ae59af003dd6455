// 256-bit and 512-bit loops.
#include "collectors/probe/compute_loops.hpp"
#include "collectors/probe/kernel_loop.hpp"

namespace ridge::probe {

// a = a * x + y
#define FMA_PS_Y(k) "vfmadd213ps %%ymm15, %%ymm14, %%ymm" #k "\n\t"
#define FMA_PD_Y(k) "vfmadd213pd %%ymm15, %%ymm14, %%ymm" #k "\n\t"
#define MUL_PS_Y(k) "vmulps %%ymm14, %%ymm" #k ", %%ymm" #k "\n\t"
#define ADD_PS_Y(k) "vaddps %%ymm15, %%ymm" #k ", %%ymm" #k "\n\t"
#define MUL_PD_Y(k) "vmulpd %%ymm14, %%ymm" #k ", %%ymm" #k "\n\t"
#define ADD_PD_Y(k) "vaddpd %%ymm15, %%ymm" #k ", %%ymm" #k "\n\t"
RIDGE_KERNEL(avx2_fma_f32, "avx2,fma", y, RIDGE_TIMES_12(FMA_PS_Y))
RIDGE_KERNEL(avx2_fma_f64, "avx2,fma", y, RIDGE_TIMES_12(FMA_PD_Y))
RIDGE_KERNEL(avx2_fma_f32_chain, "avx2,fma", y, RIDGE_CHAIN_16(FMA_PS_Y))
RIDGE_KERNEL(avx2_fma_f64_chain, "avx2,fma", y, RIDGE_CHAIN_16(FMA_PD_Y))
RIDGE_KERNEL(avx2_mix_f32, "avx2,fma", y, RIDGE_MIX_28(MUL_PS_Y, ADD_PS_Y))
RIDGE_KERNEL(avx2_mix_f64, "avx2,fma", y, RIDGE_MIX_28(MUL_PD_Y, ADD_PD_Y))
RIDGE_KERNEL(avx2_mul_f32_chain, "avx2,fma", y, RIDGE_CHAIN_16(MUL_PS_Y))
RIDGE_KERNEL(avx2_mul_f64_chain, "avx2,fma", y, RIDGE_CHAIN_16(MUL_PD_Y))

#define FMA_PS_Z(k) "vfmadd213ps %%zmm15, %%zmm14, %%zmm" #k "\n\t"
#define FMA_PD_Z(k) "vfmadd213pd %%zmm15, %%zmm14, %%zmm" #k "\n\t"
#define MUL_PS_Z(k) "vmulps %%zmm14, %%zmm" #k ", %%zmm" #k "\n\t"
#define ADD_PS_Z(k) "vaddps %%zmm15, %%zmm" #k ", %%zmm" #k "\n\t"
#define MUL_PD_Z(k) "vmulpd %%zmm14, %%zmm" #k ", %%zmm" #k "\n\t"
#define ADD_PD_Z(k) "vaddpd %%zmm15, %%zmm" #k ", %%zmm" #k "\n\t"
RIDGE_KERNEL(avx512_fma_f32, "avx512f", z, RIDGE_TIMES_12(FMA_PS_Z))
RIDGE_KERNEL(avx512_fma_f64, "avx512f", z, RIDGE_TIMES_12(FMA_PD_Z))
RIDGE_KERNEL(avx512_fma_f32_chain, "avx512f", z, RIDGE_CHAIN_16(FMA_PS_Z))
RIDGE_KERNEL(avx512_fma_f64_chain, "avx512f", z, RIDGE_CHAIN_16(FMA_PD_Z))
RIDGE_KERNEL(avx512_mix_f32, "avx512f", z, RIDGE_MIX_28(MUL_PS_Z, ADD_PS_Z))
RIDGE_KERNEL(avx512_mix_f64, "avx512f", z, RIDGE_MIX_28(MUL_PD_Z, ADD_PD_Z))
RIDGE_KERNEL(avx512_mul_f32_chain, "avx512f", z, RIDGE_CHAIN_16(MUL_PS_Z))
RIDGE_KERNEL(avx512_mul_f64_chain, "avx512f", z, RIDGE_CHAIN_16(MUL_PD_Z))

}  // namespace ridge::probe
