#include "collectors/step/plain_kernels.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "collectors/step/bf16.hpp"
#include "collectors/step/values.hpp"
#include "ridge/error.hpp"

#define RIDGE_INLINE __attribute__((always_inline)) inline

namespace ridge::step {
namespace {

enum class Width { generic, avx2, avx512 };

Width widest() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return Width::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Width::avx2;
#endif
    return Width::generic;
}

// One body, compiled for each instruction set: `loop` is always inlined into functions of
// different targets. Function multiversioning through ifunc would do the same, but its resolvers
// run before AddressSanitizer is ready.
template <class Loop>
void run_generic(const Loop& loop, std::size_t begin, std::size_t end) {
    loop(begin, end);
}
#ifdef __x86_64__
template <class Loop>
__attribute__((target("avx2,fma"))) void run_avx2(const Loop& loop, std::size_t begin,
                                                  std::size_t end) {
    loop(begin, end);
}
#ifdef __clang__
#define RIDGE_AVX512 "avx512f,avx512bw,avx512vl,avx512dq"
#else
#define RIDGE_AVX512 "avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512"
#endif
template <class Loop>
__attribute__((target(RIDGE_AVX512))) void run_avx512(const Loop& loop, std::size_t begin,
                                                      std::size_t end) {
    loop(begin, end);
}
#endif

template <class Loop>
void run(const Loop& loop, std::size_t begin, std::size_t end) {
#ifdef __x86_64__
    static const Width width = widest();
    if (width == Width::avx512) return run_avx512(loop, begin, end);
    if (width == Width::avx2) return run_avx2(loop, begin, end);
#endif
    run_generic(loop, begin, end);
}

/// Below this many elements a parallel region costs more than it saves.
constexpr std::size_t kSerialBelow = 8192;
constexpr std::size_t kElementsPerLine = 64;  ///< of one byte: no line is written by two threads

template <class Loop>
void parallel(const Loop& loop, std::size_t count) {
    if (count < kSerialBelow) return run(loop, 0, count);
#pragma omp parallel
    {
        const auto threads = static_cast<std::size_t>(omp_get_num_threads());
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const std::size_t lines = (count + kElementsPerLine - 1) / kElementsPerLine;
        const std::size_t begin = lines * thread / threads * kElementsPerLine;
        const std::size_t end = lines * (thread + 1) / threads * kElementsPerLine;
        run(loop, std::min(begin, count), std::min(end, count));
    }
}

// In dropout and the update a pointer may equal another one, element by element, so the loops carry
// no dependence: say so to the vectoriser instead of __restrict, which would be untrue.
#ifdef __clang__
#define RIDGE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define RIDGE_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class T>
struct SgdLoop {
    T* w;
    const T* g;
    T* m;
    Sgd sgd;
    RIDGE_INLINE void operator()(std::size_t begin, std::size_t end) const {
        RIDGE_INDEPENDENT
        for (std::size_t i = begin; i < end; ++i) {
            const float step = sgd.momentum * to_float(m[i]) + to_float(g[i]);
            m[i] = from_float<T>(step);
            w[i] = from_float<T>(to_float(w[i]) - sgd.rate * step);
        }
    }
};

template <class T>
struct DropoutForwardLoop {
    const T* src;
    T* dst;
    std::uint8_t* mask;
    float ratio, scale;
    std::uint32_t seed;
    RIDGE_INLINE void operator()(std::size_t begin, std::size_t end) const {
        RIDGE_INDEPENDENT
        for (std::size_t i = begin; i < end; ++i) {
            const bool kept = uniform(seed, static_cast<std::uint32_t>(i)) >= ratio;
            mask[i] = kept ? 1 : 0;
            dst[i] = from_float<T>(kept ? scale * to_float(src[i]) : 0.0F);
        }
    }
};

template <class T>
struct DropoutBackwardLoop {
    const T* diff_dst;
    T* diff_src;
    const std::uint8_t* mask;
    float scale;
    RIDGE_INLINE void operator()(std::size_t begin, std::size_t end) const {
        RIDGE_INDEPENDENT
        for (std::size_t i = begin; i < end; ++i)
            diff_src[i] = from_float<T>(mask[i] != 0 ? scale * to_float(diff_dst[i]) : 0.0F);
    }
};

template <class T>
struct ScaleLoop {
    const T* in;
    T* out;
    float scale;
    RIDGE_INLINE void operator()(std::size_t begin, std::size_t end) const {
        RIDGE_INDEPENDENT
        for (std::size_t i = begin; i < end; ++i) out[i] = from_float<T>(scale * to_float(in[i]));
    }
};

struct RunningLoop {
    float* running;
    const float* batch;
    float weight;
    RIDGE_INLINE void operator()(std::size_t begin, std::size_t end) const {
        RIDGE_INDEPENDENT
        for (std::size_t i = begin; i < end; ++i)
            running[i] = (1 - weight) * running[i] + weight * batch[i];
    }
};

/// Calls `f` with a value of the element type.
template <class F>
auto with_type(DataType type, F f) {
    if (type == DataType::f32) return f(float{});
    if (type == DataType::bf16) return f(Bf16{});
    throw job_failed("a kernel of ridge", "data type " + std::string(to_string(type)));
}

}  // namespace

std::string plain_implementation(std::string_view name) {
    static constexpr std::string_view names[] = {"generic", "avx2", "avx512"};
    return "ridge:" + std::string(name) + ":" +
           std::string(names[static_cast<std::size_t>(widest())]);
}

void sgd_momentum(DataType type, void* weights, const void* gradient, void* momentum,
                  std::size_t count, Sgd sgd) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        parallel(SgdLoop<T>{static_cast<T*>(weights), static_cast<const T*>(gradient),
                            static_cast<T*>(momentum), sgd},
                 count);
    });
}

void dropout_forward(DataType type, const void* src, void* dst, std::uint8_t* mask,
                     std::size_t count, float ratio, float scale, std::uint32_t seed) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        parallel(DropoutForwardLoop<T>{static_cast<const T*>(src), static_cast<T*>(dst), mask,
                                       ratio, scale, seed},
                 count);
    });
}

void dropout_backward(DataType type, const void* diff_dst, void* diff_src, const std::uint8_t* mask,
                      std::size_t count, float scale) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        parallel(DropoutBackwardLoop<T>{static_cast<const T*>(diff_dst), static_cast<T*>(diff_src),
                                        mask, scale},
                 count);
    });
}

float cross_entropy(DataType type, const void* probabilities, const std::int32_t* labels,
                    std::size_t images, std::size_t classes) {
    return with_type(type, [&](auto zero) {
        const auto* p = static_cast<const decltype(zero)*>(probabilities);
        // A probability below the smallest normal number counts as that: the loss stays finite.
        constexpr float smallest = 1.17549435e-38F;
        double sum = 0;
        for (std::size_t n = 0; n < images; ++n)
            sum -= std::log(
                std::max(to_float(p[n * classes + static_cast<std::size_t>(labels[n])]), smallest));
        return static_cast<float>(sum / static_cast<double>(images));
    });
}

void cross_entropy_gradient(DataType type, const void* probabilities, const std::int32_t* labels,
                            void* diff_src, std::size_t images, std::size_t classes) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        const auto* p = static_cast<const T*>(probabilities);
        auto* d = static_cast<T*>(diff_src);
        const float scale = 1.0F / static_cast<float>(images);
        parallel(ScaleLoop<T>{p, d, scale}, images * classes);
        for (std::size_t n = 0; n < images; ++n) {
            const std::size_t i = n * classes + static_cast<std::size_t>(labels[n]);
            d[i] = from_float<T>((to_float(p[i]) - 1) * scale);
        }
    });
}

void running_average(float* running, const float* batch, std::size_t count, float weight) {
    parallel(RunningLoop{running, batch, weight}, count);
}

}  // namespace ridge::step
