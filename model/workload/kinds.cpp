#include "model/workload/kinds.hpp"

namespace ridge::workload {

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> table{
        convolution_kind(),
        inner_product_kind(),
        matmul_kind(),
        pooling_kind(),
        batch_normalization_kind(),
        lrn_kind(),
        eltwise_kind(),
        softmax_kind(),
        sum_kind(),
        concat_kind(),
        split_kind(),
        dropout_kind(),
        reorder_kind(),
        other_kind(),
    };
    return table;
}

const Kind& kind_of(const Layer& layer) {
    for (const Kind& kind : kinds())
        if (kind.kind == layer.kind) return kind;
    throw job_failed("a layer", "its kind is not in the table of kinds");
}

}  // namespace ridge::workload
