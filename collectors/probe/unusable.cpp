#include "collectors/probe/unusable.hpp"

#include <fmt/format.h>

#include <vector>

#include "collectors/probe/names.hpp"
#include "ridge/format.hpp"

namespace ridge::probe {
namespace {

/// Best windows that differ by more than this are not the machine's.
constexpr double widest_spread = 0.5;
/// Beyond this, threads of a region waited for time slices.
constexpr double longest_region_s = 10e-3;
/// Windows agree within 1 % and the clock beside them is good to as much again.
constexpr double above_datasheet = 1.04;

bool wild(const Figure& figure) {
    return figure.spread > widest_spread;
}

std::string why(const Figure& figure) {
    return fmt::format("the best windows differ by {}: other processes had the cores",
                       format_percent(figure.spread));
}

}  // namespace

void drop_unusable(ProbeResult& result) {
    Machine& machine = result.machine;
    const auto drop = [&](const std::string& name, const std::string& reason) {
        result.not_measured.push_back(name + ": " + reason);
        return true;
    };
    std::erase_if(machine.compute, [&](const ComputeCeiling& ceiling) {
        return wild(ceiling.flops_per_s) && drop(name_of(ceiling), why(ceiling.flops_per_s));
    });
    for (ComputeCeiling& ceiling : machine.compute) {
        if (!ceiling.datasheet_flops_per_s) continue;
        const double sheet = ceiling.datasheet_flops_per_s->value;
        if (ceiling.flops_per_s.value <= above_datasheet * sheet) continue;
        ceiling.datasheet_flops_per_s.reset();
        drop("datasheet value of " + name_of(ceiling), "the clock was never seen undisturbed");
    }
    for (MemoryLevel& level : machine.levels) {
        std::erase_if(level.bandwidths, [&](const Bandwidth& bandwidth) {
            return wild(bandwidth.bytes_per_s) &&
                   drop(name_of(level.name, bandwidth), why(bandwidth.bytes_per_s));
        });
        if (level.latency_s && wild(*level.latency_s)) {
            drop(name_of_latency(level.name), why(*level.latency_s));
            level.latency_s.reset();
        }
    }
    std::erase_if(machine.overheads.parallel_region_s, [&](const auto& entry) {
        const auto& [threads, figure] = entry;
        const bool apart = figure.value > longest_region_s;
        return (apart || wild(figure)) &&
               drop(name_of_region(threads),
                    apart ? "its threads never ran together" : why(figure));
    });
    if (machine.overheads.empty_primitive_s && wild(*machine.overheads.empty_primitive_s)) {
        drop("empty primitive", why(*machine.overheads.empty_primitive_s));
        machine.overheads.empty_primitive_s.reset();
    }
    if (machine.overheads.sse_transition_s && wild(*machine.overheads.sse_transition_s)) {
        drop("SSE/AVX transition", why(*machine.overheads.sse_transition_s));
        machine.overheads.sse_transition_s.reset();
    }
    if (machine.quiet && machine.quiet->windows == 0) {
        drop("quiet levels", "no time was left");
        machine.quiet.reset();
    }
}

}  // namespace ridge::probe
