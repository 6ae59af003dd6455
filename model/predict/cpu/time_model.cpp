#include "model/predict/cpu/time_model.hpp"

#include <algorithm>

namespace ridge::cpu {
namespace {

constexpr std::size_t index(Resource r) {
    return static_cast<std::size_t>(r);
}

/// All terms with their constants; memory traffic as the capacity decides.
TermTimes scaled(const Terms& t, const Constants& c, double memory) {
    TermTimes times = t.time;
    const double ratio = t.footprint_over_capacity / c.capacity;
    const double warm = missing_share(ratio, c.steepness);
    // What a pass uses again itself lies closer than a whole execution: half of it on average.
    const double repeated = missing_share(ratio / 2, c.steepness);
    times[index(Resource::memory_read)] =
        t.known_read_s + (t.cold ? 1 : warm) * t.distinct_read_s + repeated * t.repeated_read_s;
    times[index(Resource::memory_write)] =
        t.known_written_s + warm * t.distinct_written_s + repeated * t.repeated_written_s;
    for (std::size_t i = 0; i < resources; ++i) times[i] *= c.factor[i];
    for (const Resource r : {Resource::memory_read, Resource::memory_write})
        times[index(r)] *= memory;
    return times;
}

}  // namespace

Constants machine_file_constants() {
    Constants c;
    c.factor.fill(1);
    c.of(Resource::calls) = c.of(Resource::stores) = 0;
    return c;
}

TermTimes contributions(const Terms& terms, const Constants& constants, Overlap overlap,
                        double memory) {
    TermTimes times = scaled(terms, constants, memory);
    if (overlap == Overlap::all_sum) return times;
    const std::size_t overlapping = overlap == Overlap::hard_core ? first_added : resources;
    std::size_t longest = 0;
    for (std::size_t i = 1; i < overlapping; ++i)
        if (times[i] > times[longest]) longest = i;
    for (std::size_t i = 0; i < overlapping; ++i)
        if (i != longest) times[i] = 0;
    return times;
}

double time_of(const Terms& terms, const Constants& constants, Overlap overlap, double memory) {
    double sum = 0;
    for (const double time : contributions(terms, constants, overlap, memory)) sum += time;
    return sum;
}

}  // namespace ridge::cpu
