#include "collectors/step/float_environment.hpp"

#include <omp.h>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace ridge::step {
namespace {

/// MXCSR bits, Intel SDM volume 1, 10.2.3: flush to zero (15), denormals are zeros (6).
[[maybe_unused]] constexpr unsigned kFlushBits = (1U << 15) | (1U << 6);

void flush_denormals() {
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() | kFlushBits);
#endif
}

}  // namespace

void prepare_threads(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    flush_denormals();  // threads created from now on inherit it
#pragma omp parallel num_threads(threads)
    flush_denormals();
}

bool flushes_denormals() {
#ifdef __x86_64__
    return (_mm_getcsr() & kFlushBits) == kFlushBits;
#else
    return false;
#endif
}

}  // namespace ridge::step
