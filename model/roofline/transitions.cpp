#include "model/roofline/transitions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ridge/format.hpp"

namespace ridge {
namespace {

/// Measured on an Intel Xeon of the Emerald Rapids generation in a virtual machine: a `movq xmm,
/// r64` between 512-bit instructions took 442 cycles, `vmovq` in its place 3.
constexpr double intel_avx512_cycles = 439;

/// Clock of the machine, as well as the file tells.
std::optional<double> clock_hz(const Machine& machine) {
    if (machine.quiet && machine.quiet->clock.value() > 0) return machine.quiet->clock.value();
    for (const ComputeCeiling& ceiling : machine.compute)
        if (ceiling.chain_clock_hz) return ceiling.chain_clock_hz->value;
    return std::nullopt;
}

}  // namespace

std::optional<Figure> transition_cost(const Machine& machine) {
    if (machine.overheads.sse_transition_s) return machine.overheads.sse_transition_s;
    const bool intel =
        machine.vendor == "GenuineIntel" || machine.cpu_model.find("Intel") != std::string::npos;
    const bool wide = std::any_of(machine.compute.begin(), machine.compute.end(),
                                  [](const ComputeCeiling& one) { return one.isa >= Isa::avx512; });
    const auto clock = clock_hz(machine);
    if (!intel || !wide || !clock) return std::nullopt;
    return Figure{
        intel_avx512_cycles / *clock, Source::given, -1,
        fmt::format("{} cycles, as measured on an Emerald Rapids core", intel_avx512_cycles)};
}

std::optional<Term> transitions_term(const Demand& demand, const Roofline& roofline) {
    if (!demand.transitions || !(*demand.transitions > 0) || !roofline.sse_transition)
        return std::nullopt;
    const Seconds each = *roofline.sse_transition;
    Term term;
    term.resource = transitions_resource;
    term.ceiling = fmt::format("{:.0f} x {}, {}", *demand.transitions, format(each),
                               to_string(roofline.sse_transition_source));
    term.busy = each * (*demand.transitions / std::max(roofline.threads, 1));
    if (!(term.busy.value() > 0)) return std::nullopt;
    return term;
}

}  // namespace ridge
