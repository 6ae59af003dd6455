// The functions of ridge/layer.hpp over the table of kinds.

#include "ridge/layer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/words_near.hpp"
#include "model/workload/kinds.hpp"

namespace ridge {
namespace {

using workload::kind_of;

const workload::Kind& kind_by_driver(const workload::ProblemReader& text) {
    std::vector<std::string> drivers;
    for (const auto& kind : workload::kinds()) {
        if (to_string(kind.kind) == text.driver()) return kind;
        drivers.emplace_back(to_string(kind.kind));
    }
    throw text.wrong("driver", "one of " + list_of(drivers), "'" + text.driver() + "'");
}

bool has_pass(const Layer& layer, Pass pass) {
    // A copy between formats belongs to the pass of the layer that needs it, whichever that is.
    if (layer.kind == LayerKind::reorder) return true;
    const auto& passes = kind_of(layer).passes;
    return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

}  // namespace

namespace workload {

std::optional<std::string> uncountable(const Layer& layer) {
    constexpr double most = 9e15;
    for (const Pass pass : kind_of(layer).passes) {
        const double flops = simple_flops(layer, pass).value();
        const double bytes = footprint(layer, pass).value();
        if (!(flops < most)) return fmt::format("{:.3g} FLOP in {}", flops, to_string(pass));
        if (!(bytes < most)) return fmt::format("{:.3g} bytes in {}", bytes, to_string(pass));
    }
    return std::nullopt;
}

}  // namespace workload

Layer parse_layer(std::string_view line) {
    workload::ProblemReader text(line);
    const workload::Kind& kind = kind_by_driver(text);
    Layer layer;
    layer.kind = kind.kind;
    layer.name = text.name();
    if (const auto word = text.attribute("dtype")) {
        const auto type = data_type_from_string(*word);
        if (!type) throw text.wrong("dtype", "a data type such as f32 or bf16", "'" + *word + "'");
        layer.dtype = *type;
    }
    kind.read(text, layer);
    text.finish();
    if (const auto excess = workload::uncountable(layer))
        throw text.wrong("size", "less than 9e15 FLOP and bytes in a pass", *excess);
    return layer;
}

std::string to_line(const Layer& layer) {
    const std::string problem = kind_of(layer).write(layer);
    const auto comma = std::min(problem.find(','), problem.size());
    const std::string name = layer.name.empty() ? "" : fmt::format("n\"{}\"", layer.name);
    const std::string dtype =
        layer.dtype == DataType::f32 ? "" : fmt::format(",dtype={}", to_string(layer.dtype));
    return fmt::format("{}:{}{}{}{}", to_string(layer.kind), problem.substr(0, comma), name,
                       problem.substr(comma), dtype);
}

std::vector<Pass> training_passes(const Layer& layer) {
    return kind_of(layer).passes;
}

Flops useful_flops(const Layer& layer, Pass pass) {
    return has_pass(layer, pass) ? kind_of(layer).flops(layer, pass, false) : Flops();
}

Flops simple_flops(const Layer& layer, Pass pass) {
    return has_pass(layer, pass) ? kind_of(layer).flops(layer, pass, true) : Flops();
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    if (!has_pass(layer, pass)) return {};
    return kind_of(layer).tensors(layer, pass);
}

Bytes minimum_bytes(const Layer& layer, Pass pass) {
    return has_pass(layer, pass) ? kind_of(layer).minimum_bytes(layer, pass) : Bytes();
}

Bytes footprint(const Layer& layer, Pass pass) {
    Bytes total;
    for (const TensorUse& use : tensors(layer, pass)) total += use.size;
    return total;
}

std::int64_t parameters(const Layer& layer) {
    return kind_of(layer).parameters(layer);
}

}  // namespace ridge
