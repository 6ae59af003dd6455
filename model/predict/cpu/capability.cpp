#include "model/predict/cpu/capability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridge/error.hpp"

namespace ridge::cpu {
namespace {

struct Width {
    VectorWidth width;
    std::vector<Isa> sets;  ///< whose ceilings tell its rate, widest registers first
    double lanes;           ///< f32
};

const std::vector<Width>& widths() {
    static const std::vector<Width> table{{VectorWidth::lane, {Isa::scalar}, 1},
                                          {VectorWidth::bits128, {Isa::sse}, 4},
                                          {VectorWidth::bits256, {Isa::avx2}, 8},
                                          {VectorWidth::bits512, {Isa::avx512}, 16}};
    return table;
}

/// Instructions per second of one thread. A width that the file lacks runs as many instructions
/// as the nearest narrower one that it has, 512 bits as half of 256 bits.
ByWidth arithmetic(const Machine& machine, bool fma, int threads) {
    ByWidth rates{};
    double last = 0;
    for (const auto& [width, sets, lanes] : widths()) {
        double& rate = rates[static_cast<std::size_t>(width)];
        for (const Isa isa : sets)
            if (const auto flops = ceiling(machine, isa, fma, DataType::f32, threads))
                rate = std::max(rate, flops->value() / threads / (fma ? 2 : 1) / lanes);
        if (rate == 0) rate = width == VectorWidth::bits512 ? last / 2 : last;
        last = rate;
    }
    // Files that name only the peak: every narrower width runs as many instructions.
    for (std::size_t i = rates.size() - 1; i > 0; --i)
        if (rates[i - 1] == 0) rates[i - 1] = rates[i];
    return rates;
}

/// Clock of the widest f32 kernel, by its chain of dependent instructions.
double clock_of(const Machine& machine, int threads) {
    const ComputeCeiling* best = nullptr;
    for (const auto& entry : machine.compute) {
        if (!entry.chain_clock_hz || entry.dtype != DataType::f32) continue;
        const auto distance = [&](const ComputeCeiling& c) {
            return std::abs(c.threads - threads);
        };
        if (best == nullptr || distance(entry) < distance(*best) ||
            (distance(entry) == distance(*best) && entry.isa >= best->isa))
            best = &entry;
    }
    if (best != nullptr) return best->chain_clock_hz->value;
    return machine.quiet ? machine.quiet->clock.value() : 0;
}

double rate_of(const MemoryLevel& level, AccessKind kind, int threads, bool non_temporal = false) {
    const auto found = bandwidth(level, kind, threads, non_temporal);
    return found ? found->value() / threads : 0;
}

/// A missing kind takes the others' figure: any access moves at least that many bytes.
LevelCapability level_of(const Machine& machine, const MemoryLevel& level, bool memory,
                         int threads) {
    LevelCapability out;
    out.level = level.name;
    out.memory = memory;
    const double copy = rate_of(level, AccessKind::copy, threads);
    const double triad = rate_of(level, AccessKind::triad, threads);
    out.read_bytes_per_s = rate_of(level, AccessKind::read, threads);
    if (out.read_bytes_per_s == 0) out.read_bytes_per_s = std::max(copy, triad);
    out.write_bytes_per_s = rate_of(level, AccessKind::write, threads);
    if (out.write_bytes_per_s == 0) out.write_bytes_per_s = out.read_bytes_per_s;
    out.non_temporal_bytes_per_s = rate_of(level, AccessKind::write, threads, true);
    if (out.non_temporal_bytes_per_s == 0) out.non_temporal_bytes_per_s = out.write_bytes_per_s;
    if (!(out.read_bytes_per_s > 0))
        throw bad_input(machine.name + "." + level.name, "a bandwidth", "none");
    if (const auto capacity = usable_capacity(machine, level, threads))
        out.capacity_bytes = capacity->value();
    if (level.latency_s) out.latency_s = level.latency_s->value;
    return out;
}

void set_first_level(Capability& c, const Machine& machine, int threads) {
    const MemoryLevel& level = machine.levels.front();
    const double read = rate_of(level, AccessKind::read, threads);
    // Two loads a cycle on every core this model knows; the bandwidth tells how wide they are.
    constexpr double loads_per_cycle = 2;
    double slot = read / (loads_per_cycle * c.clock_hz);
    slot = std::clamp(std::exp2(std::round(std::log2(std::max(slot, 16.0)))), 16.0, 64.0);
    c.load_slot_bytes = slot;
    c.loads_per_s = read > 0 ? read / slot : loads_per_cycle * c.clock_hz;
    const double write = rate_of(level, AccessKind::write, threads);
    c.store_bytes_per_s = write > 0 ? write : slot * c.clock_hz;
    c.stores_per_s = std::max(c.clock_hz, c.store_bytes_per_s / 64);
}

}  // namespace

Capability capability_of(const Machine& machine, int threads) {
    Capability c;
    c.threads = threads;
    c.fma_per_s = arithmetic(machine, true, threads);
    c.other_per_s = arithmetic(machine, false, threads);
    for (std::size_t i = 0; i < c.fma_per_s.size(); ++i) {
        if (c.fma_per_s[i] == 0) c.fma_per_s[i] = c.other_per_s[i] / 2;
        if (c.other_per_s[i] == 0) c.other_per_s[i] = c.fma_per_s[i];
    }
    if (!(c.fma_per_s.back() > 0))
        throw bad_input(machine.name + ".compute", "a ceiling for f32", "none");
    c.clock_hz = clock_of(machine, threads);
    // Hand-written files have no clock: two multiply-adds a cycle is what most cores do.
    if (!(c.clock_hz > 0)) c.clock_hz = c.fma_per_s.back() / 2;
    if (machine.levels.size() < 2)
        throw bad_input(machine.name + ".levels", "a cache and memory", "fewer levels");
    set_first_level(c, machine, threads);
    c.instructions_per_s = 4 * c.clock_hz;
    if (machine.quiet && machine.quiet->issue.value() > 0 && machine.quiet->clock.value() > 0)
        c.instructions_per_s =
            machine.quiet->issue.value() * c.clock_hz / machine.quiet->clock.value();
    c.fma_latency_s = 4 / c.clock_hz;
    for (std::size_t i = 1; i < machine.levels.size(); ++i)
        c.levels.push_back(
            level_of(machine, machine.levels[i], i + 1 == machine.levels.size(), threads));
    if (machine.overheads.sse_transition_s)
        c.transition_s = machine.overheads.sse_transition_s->value;
    const auto& regions = machine.overheads.parallel_region_s;
    if (!regions.empty()) {
        auto at = regions.lower_bound(threads);
        if (at == regions.end()) --at;
        c.call_s += at->second.value;
    }
    if (machine.overheads.empty_primitive_s) c.call_s += machine.overheads.empty_primitive_s->value;
    return c;
}

}  // namespace ridge::cpu
