#include "model/roofline/counted.hpp"

#include <array>
#include <optional>

#include "model/roofline/executed_work.hpp"
#include "model/roofline/row_analysis.hpp"
#include "ridge/counter_names.hpp"

namespace ridge {
namespace {

const Reading* find(const Measurement& row, const std::string& name) {
    const auto found = row.counters.find(name);
    return found == row.counters.end() || !found->second.available() ? nullptr : &found->second;
}

/// Bytes of every level; nothing when one is missing.
std::optional<std::vector<LevelUse>> counted_traffic(const Measurement& row,
                                                     const Roofline& roofline) {
    std::vector<LevelUse> traffic;
    for (const BandwidthRoof& roof : roofline.bandwidth) {
        const Reading* read = find(row, counter::read_bytes(roof.level));
        const Reading* written = find(row, counter::written_bytes(roof.level));
        if (read == nullptr || written == nullptr) return std::nullopt;
        traffic.push_back(
            {roof.level, Bytes(read->value()), Bytes(written->value()), read->source()});
    }
    std::erase_if(traffic, [](const LevelUse& level) { return level.total().value() <= 0; });
    return traffic;
}

/// "ic 3 padded to 16, additions: ...": what more the kernel executes.
std::string causes_of(const Layer& layer, const Measurement& row, double executed) {
    std::string causes;
    for (const WorkDifference& part :
         explain_executed_work(layer, row.key.pass, executed, row.implementation, row.formats))
        if (part.flops > 0) causes += (causes.empty() ? "" : ", ") + part.cause;
    return causes;
}

}  // namespace

Reading executed_flops(const Measurement& row) {
    constexpr std::array names{"PAPI_SP_OPS", "PAPI_DP_OPS", counter::flops};
    for (const char* name : names) {
        const auto found = row.counters.find(name);
        if (found == row.counters.end()) continue;
        if (found->second.available() && found->second.source() == Source::measured &&
            flops_not_countable(row))
            return Reading::unavailable(
                "not observable: the floating-point counter does not see AMX tiles and bf16 or "
                "int8 dot products");
        return found->second;
    }
    return Reading::unavailable("not counted in this run");
}

void use_counters(Demand& demand, const Layer& layer, const Measurement& row,
                  const Roofline& roofline) {
    if (auto traffic = counted_traffic(row, roofline)) demand.traffic = std::move(*traffic);
    const Reading executed = executed_flops(row);
    if (executed.available() && demand.useful.value() > 0 && executed.value() > 0) {
        demand.executed = executed;
        demand.padding = executed.value() / demand.useful.value();
        demand.padding_cause = causes_of(layer, row, executed.value());
    }
    if (const Reading* transitions = find(row, counter::sse_transitions))
        demand.transitions = transitions->value();
}

}  // namespace ridge
