#include "model/predict/cpu/analytic_demand.hpp"

#include <algorithm>
#include <cmath>

#include "model/predict/cpu/kernel_class.hpp"

namespace ridge::cpu {
namespace {

double blocks(std::int64_t elements) {
    return std::ceil(static_cast<double>(elements) / 16);
}

/// Independent pieces that the threads share, at the grain in which blocked kernels hand them out:
/// images, groups and blocks of channels; images alone for backward_weights of few weights.
double pieces_of(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    const auto mb = static_cast<double>(d.mb), rows = static_cast<double>(d.oh);
    if (pass == Pass::update) return std::max(1.0, static_cast<double>(parameters(layer)) / 16);
    switch (layer.kind) {
        case LayerKind::convolution:
            if (pass == Pass::backward_weights) return mb * blocks(d.oc) * blocks(d.ic);
            if (pass == Pass::backward_data) return mb * blocks(d.ic) * static_cast<double>(d.ih);
            return mb * blocks(d.oc) * rows;
        case LayerKind::inner_product:
        case LayerKind::matmul:
            if (pass == Pass::backward_weights) return blocks(d.oc) * blocks(d.ic);
            return std::max(1.0, blocks(pass == Pass::forward ? d.oc : d.ic) / 4);
        case LayerKind::softmax:
            return mb;
        case LayerKind::batch_normalization:
            return mb * blocks(d.ic);
        default:
            return mb * blocks(d.ic) * static_cast<double>(d.ih);
    }
}

}  // namespace

void set_distinct_bytes(PassDemand& demand, const Layer& layer, Pass pass) {
    demand.useful = useful_flops(layer, pass);
    demand.distinct_read = demand.distinct_written = Bytes();
    const auto uses = tensors(layer, pass);
    Bytes all;
    for (const auto& use : uses) {
        if (use.read) demand.distinct_read += use.size;
        if (use.written) demand.distinct_written += use.size;
        all += Bytes((use.read ? use.size.value() : 0) + (use.written ? use.size.value() : 0));
    }
    // What a stride skips is source only.
    demand.distinct_read -= std::min(all - minimum_bytes(layer, pass), demand.distinct_read);
    demand.footprint = footprint(layer, pass);
    const bool plain_loop = pass == Pass::update || layer.kind == LayerKind::dropout ||
                            (layer.kind == LayerKind::softmax && pass == Pass::backward);
    demand.library_calls = plain_loop ? 0.1 : 1;
}

double busiest_share(double pieces, int threads) {
    if (threads <= 1 || pieces <= 1) return 1;
    return std::ceil(pieces / threads) / pieces;
}

CacheSizes cache_sizes(const Machine& machine) {
    CacheSizes sizes;
    const auto size = [&](std::size_t i, double fallback) {
        if (i + 1 >= machine.levels.size() || !machine.levels[i].capacity_bytes) return fallback;
        return machine.levels[i].capacity_bytes->value;
    };
    sizes.l1_bytes = size(0, sizes.l1_bytes);
    sizes.l2_bytes = size(1, std::max(sizes.l2_bytes, sizes.l1_bytes));
    return sizes;
}

PassDemand analytic_demand(const Layer& layer, Pass pass, const CacheSizes& caches, int threads) {
    PassDemand demand;
    demand.source = Source::algorithmic;
    demand.threads = threads;
    set_distinct_bytes(demand, layer, pass);
    demand.executed = demand.useful;
    demand.levels = {{"L2", Bytes(), Bytes()}, {"L3", Bytes(), Bytes()}};
    switch (family_of(layer.kind, pass)) {
        case Family::convolution:
            add_convolution(demand, layer, pass, caches);
            break;
        case Family::product:
            add_product(demand, layer, pass, caches);
            break;
        case Family::other:
            add_streams(demand, layer, pass, caches);
            break;
    }
    demand.busiest_share = threads == 1 ? 1 : busiest_share(pieces_of(layer, pass), threads);
    return demand;
}

std::vector<DemandRow> AnalyticSource::rows(const Network& network, int threads) {
    std::vector<DemandRow> rows;
    const auto add = [&](const NetworkLayer& entry, const Layer& layer, Pass pass, Pass work,
                         std::string part) {
        DemandRow row;
        row.key = {entry.layer.name, pass, std::move(part)};
        row.ordinal = static_cast<int>(rows.size());
        row.kind = layer.kind;
        row.problem = to_line(layer);
        row.demand = analytic_demand(layer, work, caches_, threads);
        rows.push_back(std::move(row));
    };
    const auto has = [](const NetworkLayer& entry, Pass pass) {
        return std::find(entry.passes.begin(), entry.passes.end(), pass) != entry.passes.end();
    };
    for (const NetworkLayer& entry : network.layers)
        if (has(entry, Pass::forward)) add(entry, entry.layer, Pass::forward, Pass::forward, "");
    for (auto entry = network.layers.rbegin(); entry != network.layers.rend(); ++entry)
        for (const Pass pass : entry->passes) {
            if (pass == Pass::forward || pass == Pass::update) continue;
            if (entry->layer.kind == LayerKind::convolution && pass == Pass::backward_data) {
                const Dims& d = entry->layer.dims;
                Layer copy;
                copy.kind = LayerKind::reorder;
                copy.name = entry->layer.name;
                copy.dtype = entry->layer.dtype;
                copy.dims.g = d.g, copy.dims.oc = d.oc / d.g, copy.dims.ic = d.ic / d.g;
                copy.dims.kh = d.kh, copy.dims.kw = d.kw;
                add(*entry, copy, pass, Pass::forward, "reorder wei");
            }
            add(*entry, entry->layer, pass, pass, "");
        }
    for (const NetworkLayer& entry : network.layers)
        if (has(entry, Pass::update)) add(entry, entry.layer, Pass::update, Pass::update, "");
    return rows;
}

}  // namespace ridge::cpu
