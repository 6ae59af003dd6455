// The functions of ridge/layer.hpp over the table of kinds.

#include "ridge/layer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/words_near.hpp"
#include "model/workload/kinds.hpp"
#include "model/workload/shapes.hpp"

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

/// FLOP and byte counts stay exact integers in a double below 2^53.
void require_countable(const workload::ProblemReader& text, const workload::Kind& kind,
                       const Layer& layer) {
    constexpr double most = 9e15;
    for (const Pass pass : kind.passes) {
        const bool countable =
            kind.flops(layer, pass, true).value() < most && footprint(layer, pass).value() < most;
        if (!countable) throw text.wrong("size", "less than 9e15 FLOP and bytes in a pass", "more");
    }
}

}  // namespace

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
    require_countable(text, kind, layer);
    return layer;
}

std::string to_line(const Layer& layer) {
    const std::string problem = kind_of(layer).write(layer);
    const auto comma = std::min(problem.find(','), problem.size());
    const std::string name = layer.name.empty() ? "" : fmt::format("n\"{}\"", layer.name);
    return fmt::format("{}:{}{}{}{}", to_string(layer.kind), problem.substr(0, comma), name,
                       problem.substr(comma), workload::write_common(layer));
}

std::vector<Pass> training_passes(const Layer& layer) {
    return kind_of(layer).passes;
}

Flops useful_flops(const Layer& layer, Pass pass) {
    return kind_of(layer).flops(layer, pass, false);
}

Flops simple_flops(const Layer& layer, Pass pass) {
    return kind_of(layer).flops(layer, pass, true);
}

std::vector<TensorUse> tensors(const Layer& layer, Pass pass) {
    return kind_of(layer).tensors(layer, pass);
}

Bytes minimum_bytes(const Layer& layer, Pass pass) {
    Bytes total;
    for (const TensorUse& use : tensors(layer, pass)) {
        Bytes size = use.size;
        if (use.name == "src" &&
            (layer.kind == LayerKind::convolution || layer.kind == LayerKind::pooling)) {
            const auto h = workload::height_window(layer), w = workload::width_window(layer);
            size = size * (static_cast<double>(touched_inputs(h) * touched_inputs(w)) /
                           static_cast<double>(h.i * w.i));
        }
        total += size * ((use.read ? 1.0 : 0.0) + (use.written ? 1.0 : 0.0));
    }
    return total;
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
