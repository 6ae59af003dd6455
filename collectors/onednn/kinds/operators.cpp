#include <array>

#include "collectors/onednn/kinds/operator.hpp"
#include "ridge/error.hpp"

namespace ridge::onednn {
namespace {

struct Entry {
    LayerKind kind;
    std::unique_ptr<Operator> (*make)(Builder&, const NetworkLayer&);
};

constexpr std::array table{
    Entry{LayerKind::convolution, make_convolution},
    Entry{LayerKind::inner_product, make_inner_product},
    Entry{LayerKind::matmul, make_matmul},
    Entry{LayerKind::pooling, make_pooling},
    Entry{LayerKind::batch_normalization, make_batch_normalization},
    Entry{LayerKind::lrn, make_lrn},
    Entry{LayerKind::eltwise, make_eltwise},
    Entry{LayerKind::softmax, make_softmax},
    Entry{LayerKind::sum, make_sum},
    Entry{LayerKind::concat, make_concat},
    Entry{LayerKind::split, make_split},
    Entry{LayerKind::dropout, make_dropout},
    Entry{LayerKind::reorder, make_reorder},
};

}  // namespace

std::unique_ptr<Operator> make_operator(Builder& builder, const NetworkLayer& layer) {
    if (layer.layer.kind == LayerKind::other)
        throw not_possible("measuring 'other:' layers", "they have no kernel");
    if (layer.layer.kind == LayerKind::matmul && layer.layer.dims.g != 1)
        throw not_possible("measuring batched matrix products",
                           "the collector runs one at a time; ask for one of them");
    for (const Entry& entry : table)
        if (entry.kind == layer.layer.kind) return entry.make(builder, layer);
    throw job_failed("building the step",
                     "no operator for kind " + std::string(to_string(layer.layer.kind)));
}

}  // namespace ridge::onednn
