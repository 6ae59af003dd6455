#include "model/roofline/demand.hpp"

#include <algorithm>
#include <cmath>

#include "model/roofline/counted.hpp"
#include "model/roofline/padding.hpp"

namespace ridge {
namespace {

double blocks(double elements, double per_block) {
    return std::ceil(elements / per_block);
}

/// Independent pieces of a pass at the grain in which libraries hand out work: an image, a row and
/// a block of 16 channels, or 16 elements.
double parallel_pieces(const Layer& layer, Pass pass) {
    constexpr double lanes = 16;
    const auto& d = layer.dims;
    const auto mb = static_cast<double>(d.mb);
    const double oc_blocks = blocks(static_cast<double>(d.oc), lanes);
    const double ic_blocks = blocks(static_cast<double>(d.ic), lanes);
    if (pass == Pass::update) return blocks(static_cast<double>(parameters(layer)), lanes);
    switch (layer.kind) {
        case LayerKind::convolution:
        case LayerKind::inner_product:
        case LayerKind::matmul:
            if (pass == Pass::backward_weights) return oc_blocks * ic_blocks;
            if (pass == Pass::backward_data) return mb * ic_blocks * static_cast<double>(d.ih);
            return mb * oc_blocks * static_cast<double>(d.oh);
        case LayerKind::softmax:
            return mb;
        default:
            return mb * ic_blocks * static_cast<double>(d.ih);
    }
}

}  // namespace

std::vector<TensorTraffic> minimum_traffic(const Layer& layer, Pass pass) {
    const auto uses = tensors(layer, pass);
    std::vector<TensorTraffic> traffic;
    Bytes all;
    for (const auto& use : uses) {
        traffic.push_back({use.read ? use.size : Bytes(), use.written ? use.size : Bytes(), {}});
        all += traffic.back().read + traffic.back().written;
    }
    // Only source elements can be skipped, so the whole difference is theirs.
    Bytes skipped = all - minimum_bytes(layer, pass);
    for (std::size_t i = 0; i < uses.size() && skipped.value() > 0; ++i) {
        if (!uses[i].name.starts_with("src")) continue;
        const Bytes less = std::min(traffic[i].read, skipped);
        traffic[i].read -= less;
        skipped -= less;
    }
    return traffic;
}

Demand demand_of(const Layer& layer, const Measurement& row,
                 const std::vector<std::optional<Bytes>>& reuse_distances,
                 const Roofline& roofline) {
    const Pass pass = row.key.pass;
    Demand demand;
    demand.useful = useful_flops(layer, pass);
    demand.minimum = minimum_bytes(layer, pass);
    demand.footprint = footprint(layer, pass);
    auto traffic = minimum_traffic(layer, pass);
    for (std::size_t i = 0; i < traffic.size() && i < reuse_distances.size(); ++i)
        traffic[i].reuse_distance = reuse_distances[i];
    for (const TensorTraffic& tensor : traffic) {
        demand.inputs += tensor.read;
        demand.outputs += tensor.written;
    }
    demand.traffic = place(traffic, roofline);
    if (pass != Pass::update) {
        const auto padding = channel_padding(layer, row.formats);
        demand.padding = padding.factor;
        demand.padding_cause = padding.cause;
    }
    demand.parallel_pieces = parallel_pieces(layer, pass);
    use_counters(demand, layer, row, roofline);
    return demand;
}

}  // namespace ridge
