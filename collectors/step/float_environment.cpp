#include "collectors/step/float_environment.hpp"

#include <omp.h>

#include "collectors/step/flush_denormals.hpp"

namespace ridge::step {
namespace {

void flush_denormals() {
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() | flush_bits);
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
    return (_mm_getcsr() & flush_bits) == flush_bits;
#else
    return false;
#endif
}

}  // namespace ridge::step
