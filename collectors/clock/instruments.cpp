#include "collectors/clock/instruments.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

#include "collectors/clock/clock.hpp"

namespace ridge::clock {

MachineInstruments::MachineInstruments(int threads, std::size_t flush_bytes)
    : threads_(threads),
      readings_(static_cast<std::size_t>(threads)),
      flush_buffer_(flush_bytes / sizeof(double), 1.0) {}

Seconds MachineInstruments::now() {
    return clock::now();
}

Seconds MachineInstruments::read_cost() {
    return clock::read_cost();
}

std::span<const ProbeReading> MachineInstruments::probe() {
    read_quiet_probe(readings_);
    return readings_;
}

void MachineInstruments::flush_caches() {
    double* const data = flush_buffer_.data();
    const std::size_t size = flush_buffer_.size(), line = 64 / sizeof(double);
    // Writing brings each line in and makes it dirty, so that the caches must give up their own
    // dirty lines as well. Each thread sweeps its own part: private caches see only their core.
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::size_t i = 0; i < size; i += line) data[i] += 1;
}

double flush_effect(Instruments& instruments) {
    // Each line holds the index of the next one in random order: no prefetcher follows.
    constexpr std::size_t lines = 256 * 1024 / 64;
    struct alignas(64) Line {
        std::size_t next;
    };
    std::vector<std::size_t> order(lines);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(1));
    std::vector<Line> chain(lines);
    for (std::size_t i = 0; i < lines; ++i) chain[order[i]].next = order[(i + 1) % lines];

    const auto walk = [&] {
        const Seconds start = instruments.now();
        std::size_t at = 0;
        for (std::size_t i = 0; i < lines; ++i) at = chain[at].next;
        asm volatile("" ::"r"(at));
        return instruments.now() - start;
    };
    Seconds warm(1e9), cold(1e9);
    for (int i = 0; i < 5; ++i) {
        walk();
        warm = std::min(warm, walk());
        instruments.flush_caches();
        cold = std::min(cold, walk());
    }
    return cold / warm;
}

}  // namespace ridge::clock
