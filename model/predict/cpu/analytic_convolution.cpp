// Direct and 1x1 convolution on channels in blocks of 16, as the blocked kernels of CPU libraries
// compute them: a register block of `nb` channel blocks times `ur` neighbouring outputs is summed
// over the taps and 16 input channels, from nb vectors of weights and ur broadcast elements each.

#include <algorithm>
#include <cmath>

#include "model/predict/cpu/analytic_demand.hpp"

namespace ridge::cpu {
namespace {

constexpr double lanes = 16, line = 64;

double up(double value, double step) {
    return std::ceil(value / step) * step;
}

/// The pass as seen from its accumulators: forward computes oc from ic, backward_data ic from oc.
struct View {
    double images, groups;
    double out_channels, in_channels;  ///< per group, padded to blocks
    double out_h, out_w, in_h, in_w;   ///< of the tensor that is accumulated and the other one
    double out_vectors, in_vectors;    ///< of all images
    double taps, kh, stride;
    double multiply_adds;  ///< 512-bit instructions
    double weights_bytes;  ///< padded, all groups
    bool pointwise;
};

View view_of(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    View v{};
    v.images = static_cast<double>(d.mb);
    v.groups = static_cast<double>(d.g);
    const auto oc = static_cast<double>(d.oc / d.g), ic = static_cast<double>(d.ic / d.g);
    // Kernels for the first layer of a network take its few channels as they are.
    const double oc_padded = up(oc, lanes), ic_padded = ic < lanes ? ic : up(ic, lanes);
    const bool data = pass == Pass::backward_data;
    v.out_channels = data ? ic_padded : oc_padded;
    v.in_channels = data ? oc_padded : ic_padded;
    v.out_h = static_cast<double>(data ? d.ih : d.oh);
    v.out_w = static_cast<double>(data ? d.iw : d.ow);
    v.in_h = static_cast<double>(data ? d.oh : d.ih);
    v.in_w = static_cast<double>(data ? d.ow : d.iw);
    v.out_vectors = v.images * v.groups * std::ceil(v.out_channels / lanes) * v.out_h * v.out_w;
    v.in_vectors = v.images * v.groups * std::ceil(v.in_channels / lanes) * v.in_h * v.in_w;
    v.taps = static_cast<double>(d.kh * d.kw);
    v.kh = static_cast<double>(d.kh);
    v.stride = static_cast<double>(d.sh);
    v.pointwise = d.kh == 1 && d.kw == 1;
    const double padding = oc_padded / oc * ic_padded / ic;
    v.multiply_adds = useful_flops(layer, pass).value() * padding / (2 * lanes);
    v.weights_bytes = v.groups * oc_padded * ic_padded * v.taps * 4;
    return v;
}

struct RegisterBlock {
    double channels = 1;  ///< blocks of 16 output channels
    double width = 1;     ///< neighbouring outputs, on average over a row with its remainder
    double steps = 1;     ///< blocks in a row
};

/// 32 registers hold the accumulators, the weights of each channel block and one broadcast; the
/// channel blocks divide the channels.
RegisterBlock register_block(double channel_blocks, double row) {
    RegisterBlock block;
    for (const double tried : {4.0, 3.0, 2.0})
        if (std::fmod(channel_blocks, tried) == 0) {
            block.channels = tried;
            break;
        }
    const double most =
        block.channels == 1 ? 28 : std::floor((31 - block.channels - 1) / block.channels);
    block.steps = std::ceil(row / std::min(most, row));
    block.width = row / block.steps;
    return block;
}

void forward_or_data(PassDemand& demand, const View& v, const CacheSizes& caches) {
    const double out_blocks = std::max(1.0, v.out_channels / lanes);
    const double in_blocks = std::ceil(v.in_channels / lanes);
    // A 1x1 convolution of stride 1 has one long row of outputs.
    const double row = v.pointwise ? v.out_h * v.out_w : v.out_w;
    const RegisterBlock block = register_block(std::ceil(out_blocks), row);
    // Direct kernels add one block of input channels to the result at a time, 1x1 kernels several.
    const double visits = v.pointwise ? std::ceil(in_blocks / 16) : in_blocks;
    demand.broadcasts = v.multiply_adds / block.channels;
    const double weight_loads = v.multiply_adds / block.width;
    const double result_loads = v.out_vectors * std::max(0.0, visits - 1);
    demand.loads = {weight_loads + result_loads, line * (weight_loads + result_loads)};
    demand.stores = {v.out_vectors * visits, line * v.out_vectors * visits};
    demand.other_arithmetic.back() = v.out_vectors * visits * 2;
    const double independent = block.channels * block.width;
    demand.chained_share = 1 / independent;

    // L2 to L1. Weights of one block of output and input channels stay in L1 over a row of outputs
    // or have to be read for every register block.
    const double slice = v.taps * lanes * std::min(lanes, v.in_channels) * 4 * block.channels *
                         (v.pointwise ? std::min(in_blocks, 16.0) : 1);
    const double rows = v.images * v.out_h;
    const double weight_reads = slice <= 0.75 * caches.l1_bytes
                                    ? (v.pointwise ? v.images : v.images)
                                    : (v.pointwise ? v.images * block.steps : rows * block.steps);
    const double out_passes = std::ceil(out_blocks / block.channels);
    const double row_overlap = v.pointwise ? 1 : std::max(1.0, v.kh / v.stride);
    const double source =
        line * v.in_vectors * out_passes * (slice <= 0.75 * caches.l1_bytes ? 1 : row_overlap);
    const double results = line * v.out_vectors * visits;
    demand.levels[0].read = Bytes(v.weights_bytes * weight_reads + source + results);
    demand.levels[0].written = Bytes(results);

    // L3 to L2. The weights stay in L2 over the images, or come again with each.
    const double image = line * v.in_vectors / v.images;
    const bool weights_stay = v.weights_bytes <= 0.5 * caches.l2_bytes;
    const bool image_stays = image <= 0.5 * caches.l2_bytes;
    demand.levels[1].read =
        Bytes(v.weights_bytes * (weights_stay ? 1 : v.images) +
              line * v.in_vectors * (image_stays ? 1 : out_passes) + line * v.out_vectors);
    demand.levels[1].written = Bytes(line * v.out_vectors);
    demand.calls = v.pointwise ? v.images * out_passes * std::max(1.0, visits)
                               : rows * out_passes * visits * v.groups;
}

/// Weights are the accumulators, summed over the outputs of a row (direct) or many (1x1), from a
/// vector of dst and broadcast elements of src.
void backward_weights(PassDemand& demand, const View& v, const Layer& layer,
                      const CacheSizes& caches) {
    const Dims& d = layer.dims;
    const double dst_vectors = v.out_vectors, src_vectors = v.in_vectors;
    const double weight_vectors = v.weights_bytes / line;
    const double out_blocks = std::max(1.0, v.out_channels / lanes);
    const double in_blocks = std::ceil(v.in_channels / lanes);
    demand.broadcasts = v.multiply_adds;
    // Rows of up to 28 outputs are summed in registers before the weights are touched again.
    const double sums = v.pointwise
                            ? v.images * std::max(1.0, v.out_h * v.out_w / 256)
                            : v.images * v.out_h * std::ceil(static_cast<double>(d.ow) / 28);
    const double weight_visits = weight_vectors * std::max(1.0, sums);
    const double dst_loads = v.multiply_adds / (v.pointwise ? 8 : lanes);
    if (v.pointwise) demand.broadcasts = v.multiply_adds / 3;
    demand.loads = {dst_loads + weight_visits, line * (dst_loads + weight_visits)};
    demand.stores = {weight_visits, line * weight_visits};
    demand.chained_share = 1.0 / 24;

    const double slice = v.taps * lanes * std::min(lanes, v.in_channels) * 4;
    const double weight_traffic =
        slice <= 0.5 * caches.l1_bytes ? v.weights_bytes * v.images : line * weight_visits;
    const double source = line * src_vectors * out_blocks,
                 gradient = line * dst_vectors * in_blocks;
    const double shared = v.pointwise ? 0.25 : 1;  // 1x1 kernels keep several blocks in registers
    demand.levels[0].read = Bytes(weight_traffic + shared * (source + gradient));
    demand.levels[0].written = Bytes(weight_traffic);
    const double image = line * (src_vectors + dst_vectors) / v.images;
    const double again = image <= 0.5 * caches.l2_bytes ? 1 : std::min(4.0, out_blocks);
    const bool weights_stay = v.weights_bytes <= 0.5 * caches.l2_bytes;
    const double weights = v.weights_bytes * (weights_stay ? 1 : v.images);
    demand.levels[1].read = Bytes(line * (src_vectors * again + dst_vectors) + weights);
    demand.levels[1].written = Bytes(weights);
    demand.calls = v.groups * v.images * in_blocks * out_blocks;
}

}  // namespace

void add_convolution(PassDemand& demand, const Layer& layer, Pass pass, const CacheSizes& caches) {
    View v = view_of(layer, pass);
    const Dims& d = layer.dims;
    if (d.g > 1 && d.ic == d.g && d.oc == d.g) {
        // Depthwise: the vector runs over groups, one weight vector for each tap.
        const double vectors = std::ceil(static_cast<double>(d.g) / lanes);
        v.multiply_adds =
            useful_flops(layer, pass).value() / static_cast<double>(d.g) * vectors / 2;
        v.groups = 1;
        v.out_vectors = v.images * vectors * v.out_h * v.out_w;
        v.in_vectors = v.images * vectors * v.in_h * v.in_w;
        v.weights_bytes = vectors * v.taps * line;
        demand.fma.back() = v.multiply_adds;
        const double loads = 2 * v.multiply_adds;  // source and weight, no broadcast
        demand.loads = {loads, line * loads};
        demand.stores = {v.out_vectors, line * v.out_vectors};
        demand.levels[0].read = demand.levels[1].read = demand.distinct_read;
        demand.levels[0].written = demand.levels[1].written = demand.distinct_written;
        demand.calls = v.images * vectors * v.out_h;
    } else {
        demand.fma.back() = v.multiply_adds;
        if (pass == Pass::backward_weights)
            backward_weights(demand, v, layer, caches);
        else
            forward_or_data(demand, v, caches);
    }
    demand.executed = Flops(2 * lanes * v.multiply_adds);
    // Embedded broadcasts are part of the multiply-add.
    const double embedded = demand.broadcasts >= v.multiply_adds ? demand.broadcasts : 0;
    demand.instructions = 1.02 * (v.multiply_adds + demand.loads.accesses + demand.broadcasts -
                                  embedded + demand.stores.accesses);
}

}  // namespace ridge::cpu
