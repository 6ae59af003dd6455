#include "collectors/clock/clock.hpp"

#include <algorithm>
#include <ctime>

namespace ridge::clock {

Seconds now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return Seconds(static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec));
}

Seconds read_cost() {
    static const Seconds cost = [] {
        Seconds least(1);
        for (int i = 0; i < 2000; ++i) {
            const Seconds start = now();
            least = std::min(least, now() - start);
        }
        return least;
    }();
    return cost;
}

}  // namespace ridge::clock
