// FTZ and DAZ on the calling thread while a count runs: Intel's FLOP events are specified with
// both set. The threads of a training step have them set already (collectors/step).
#pragma once

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace ridge::papi {

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
    /// MXCSR, Intel SDM volume 1, 10.2.3: flush to zero (15), denormals are zeros (6).
    static constexpr unsigned flush_bits = (1U << 15) | (1U << 6);
    unsigned before_;
#endif
};

}  // namespace ridge::papi
