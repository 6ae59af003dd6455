// The loop that measures SSE/AVX transitions holds as many of them as it says.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "collectors/probe/sse_transition.hpp"
#include "collectors/probe/team.hpp"

using namespace ridge::probe;

namespace {

double best_s(std::int64_t times, ScalarMove move, bool avx512) {
    double best = 1;
    for (int i = 0; i < 20; ++i) {
        const double begin = now_s();
        alternate(times, move, avx512);
        best = std::min(best, now_s() - begin);
    }
    return best;
}

}  // namespace

TEST_SUITE("hardware") {
    TEST_CASE("a legacy move costs what a VEX move does, or more; the figure is that of the loop" *
              doctest::skip(!this_cpu().avx2)) {
        const bool avx512 = this_cpu().avx512;
        constexpr std::int64_t times = 100000;
        const double legacy = best_s(times, ScalarMove::legacy_sse, avx512);
        const double vex = best_s(times, ScalarMove::vex, avx512);
        CHECK(legacy > 0.5 * vex);
        // Twice the round trips take twice the time: none is optimised away.
        CHECK(best_s(2 * times, ScalarMove::legacy_sse, avx512) ==
              doctest::Approx(2 * legacy).epsilon(0.3));
        Task task = sse_transition_task(this_cpu());
        std::vector<WindowSample> windows;
        for (int visit = 0; visit < 5; ++visit) task.measure(visit, windows);
        double rate = 0;
        for (const WindowSample& window : windows) rate = std::max(rate, window.rate);
        if (!windows.empty()) CHECK(1 / rate == doctest::Approx(legacy / times).epsilon(0.3));
        MESSAGE("legacy move: ", 1e9 * legacy / times, " ns, VEX move: ", 1e9 * vex / times, " ns");
    }
}
