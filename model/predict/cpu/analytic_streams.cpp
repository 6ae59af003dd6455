// Layers that pass over their tensors: how often each is swept and what is done to a vector.

#include <algorithm>
#include <cmath>

#include "model/predict/cpu/analytic_demand.hpp"

namespace ridge::cpu {
namespace {

/// Per vector of 16 results, unless said otherwise.
struct StreamWork {
    double sweeps = 1;      ///< over the tensors that are read
    double arithmetic = 0;  ///< vector instructions
    double divisions = 0;
    double loads = 0;   ///< beyond one per vector that is read
    double stores = 0;  ///< beyond one per vector that is written
};

StreamWork work_of(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    const bool forward = pass == Pass::forward;
    const auto taps = static_cast<double>(d.kh * d.kw);
    const auto window = static_cast<double>(layer.local_size);
    if (pass == Pass::update) return {.sweeps = 1, .arithmetic = 2};
    switch (layer.kind) {
        case LayerKind::pooling:
            // Maximum: compare, select the value and its index; backward compares the index and
            // adds to each tap.
            if (layer.algorithm == Algorithm::max)
                return forward ? StreamWork{1, 3 * taps, 0, taps, 0}
                               : StreamWork{1, 3 * taps, 0, taps, taps};
            return forward ? StreamWork{1, taps, 1, taps, 0} : StreamWork{1, taps, 1, taps, taps};
        case LayerKind::batch_normalization:
            // Mean, variance, result; backward sums two products before it can scale.
            return forward ? StreamWork{3, 5, 0, 0, 0} : StreamWork{2, 8, 0, 0, 0};
        case LayerKind::lrn:
            // The power -0.75 is two square roots and a division.
            return forward ? StreamWork{1, window + 4, 3, window, 1}
                           : StreamWork{1, 2 * window + 6, 1, 2 * window, 0};
        case LayerKind::eltwise:
            if (layer.algorithm == Algorithm::relu) return {1, 2, 0, 0, 0};
            return {1, 20, 1, 0, 0};
        case LayerKind::softmax:
            return {3, 25, 1, 0, 0};
        case LayerKind::dropout:
            return {1, 8, 0, 0, 0};
        default:
            return {1, 1, 0, 0, 0};
    }
}

}  // namespace

void add_streams(PassDemand& demand, const Layer& layer, Pass pass, const CacheSizes& caches) {
    constexpr double line = 64;
    const StreamWork work = work_of(layer, pass);
    const double read = demand.distinct_read.value(), written = demand.distinct_written.value();
    const double out_vectors =
        layer.kind == LayerKind::pooling
            ? static_cast<double>(layer.dims.mb * layer.dims.oh * layer.dims.ow) *
                  std::ceil(static_cast<double>(layer.dims.oc) / 16)
            : written / line;
    const double read_vectors = work.sweeps * read / line;
    const double loads = read_vectors + work.loads * out_vectors;
    const double stores = written / line + work.stores * out_vectors;
    demand.loads = {loads, line * loads};
    demand.stores = {stores, line * stores};
    demand.other_arithmetic.back() = work.arithmetic * out_vectors;
    demand.divisions = work.divisions * out_vectors;
    demand.instructions = 1.3 * (loads + stores) + work.arithmetic * out_vectors;
    demand.calls = layer.kind == LayerKind::pooling
                       ? static_cast<double>(layer.dims.mb * layer.dims.oh) *
                             std::ceil(static_cast<double>(layer.dims.oc) / 16)
                       : 1;
    const double footprint = demand.footprint.value();
    const double sweeps_l2 = footprint > caches.l1_bytes ? work.sweeps : 0;
    const double sweeps_l3 = footprint > caches.l2_bytes ? work.sweeps : 0;
    // A store of a line that is not in the cache reads it first.
    demand.levels[0].read = Bytes(sweeps_l2 > 0 ? sweeps_l2 * read + written : 0);
    demand.levels[0].written = Bytes(sweeps_l2 > 0 ? written : 0);
    demand.levels[1].read = Bytes(sweeps_l3 > 0 ? sweeps_l3 * read + written : 0);
    demand.levels[1].written = Bytes(sweeps_l3 > 0 ? written : 0);
}

}  // namespace ridge::cpu
