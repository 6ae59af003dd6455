// Inner and matrix products in blocks of 64 outputs and up to 6 rows, as batch-reduce kernels
// compute them. Rows: images. In training every product streams its weights once, or writes them.

#include <algorithm>
#include <cmath>

#include "model/predict/cpu/analytic_demand.hpp"

namespace ridge::cpu {

void add_product(PassDemand& demand, const Layer& layer, Pass pass, const CacheSizes& caches) {
    constexpr double lanes = 16, line = 64, register_rows = 6, register_columns = 64;
    const Dims& d = layer.dims;
    const double spatial = static_cast<double>(d.ih) * static_cast<double>(d.iw);
    double rows = static_cast<double>(d.mb), columns = static_cast<double>(d.oc),
           depth = static_cast<double>(d.ic) * spatial;
    if (pass == Pass::backward_data) std::swap(columns, depth);
    if (pass == Pass::backward_weights) {
        std::swap(rows, depth);  // weights are the result, images are summed over
    }
    const double padded = std::ceil(columns / lanes) * lanes;
    const double multiply_adds = rows * padded * depth / lanes;
    demand.fma.back() = multiply_adds;
    demand.executed = Flops(2 * lanes * multiply_adds);
    const double row_block = std::min(rows, register_rows);
    const double column_block = std::min(padded, register_columns) / lanes;
    const double loads = multiply_adds / row_block;
    demand.broadcasts = multiply_adds / column_block;
    const double results = rows * padded / lanes;
    const double result_visits = std::ceil(depth / 1024);
    demand.loads = {loads + results * result_visits, line * (loads + results * result_visits)};
    demand.stores = {results * result_visits, line * results * result_visits};
    demand.chained_share = 1 / (row_block * column_block);
    demand.instructions = multiply_adds + loads + demand.broadcasts + 2 * results * result_visits;

    // The right-hand matrix passes L1 once for every block of rows, from L2 where a panel of it
    // fits, else from beyond; the left one once for every block of columns.
    const double right = depth * padded * 4, left = rows * depth * 4, out = rows * padded * 4;
    const double row_steps = std::ceil(rows / register_rows);
    const double column_steps = std::ceil(padded / register_columns);
    const bool panel_fits = depth * register_columns * 4 <= 0.5 * caches.l2_bytes;
    demand.levels[0].read = Bytes(right * row_steps + left * column_steps + out);
    demand.levels[0].written = Bytes(out * result_visits);
    const bool left_fits = left <= 0.5 * caches.l2_bytes;
    demand.levels[1].read =
        Bytes(right * (panel_fits ? 1 : row_steps) + left * (left_fits ? 1 : column_steps) + out);
    demand.levels[1].written = Bytes(out);
    demand.calls = column_steps * std::max(1.0, row_steps);
}

}  // namespace ridge::cpu
