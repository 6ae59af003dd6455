// A GPU with round numbers, so that closed forms are short.
#pragma once

#include "model/predict/gpu/device.hpp"
#include "model/predict/gpu/work.hpp"

namespace ridge::test {

/// 10 multiprocessors, 1 TFLOP/s, 100 GB/s.
inline gpu::Device small_gpu() {
    gpu::Device d;
    d.name = "small";
    d.chip = "S1";
    d.family = "volta";
    d.multiprocessors = 10;
    d.lanes = 50;
    d.clock_hz = 1e9;
    d.f32_flops_per_s = 1e12;
    d.bytes_per_s = 1e11;
    d.l2_bytes = 1e6;
    d.power_w = 1e6;  // never binds
    return d;
}

inline gpu::Work product(std::int64_t m, std::int64_t n, std::int64_t k) {
    gpu::Work w;
    w.m = m;
    w.n = n;
    w.k = k;
    return w;
}

}  // namespace ridge::test
