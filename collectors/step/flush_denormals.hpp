// FTZ and DAZ on the calling thread for as long as the guard lives. The threads of a training step
// have them set for good (float_environment.hpp).
#pragma once

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace ridge::step {

/// MXCSR, Intel SDM volume 1, 10.2.3: flush to zero (15), denormals are zeros (6).
inline constexpr unsigned flush_bits = (1U << 15) | (1U << 6);

class FlushDenormals {
public:
#ifdef __x86_64__
    FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_bits); }
    ~FlushDenormals() { _mm_setcsr((_mm_getcsr() & ~flush_bits) | (before_ & flush_bits)); }
#else
    FlushDenormals() = default;
    ~FlushDenormals() = default;
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
#ifdef __x86_64__
    unsigned before_;
#endif
};

}  // namespace ridge::step
