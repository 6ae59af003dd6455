#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// dst (m x n) = src (m x k) wei (k x n). All row-major: the backward products read a transposed
/// operand through its strides, which blocked formats do not allow.
class Matmul : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md src_md = plain_md({m(), k()}, type());
        const Md wei_md = plain_md({k(), n()}, type());
        const Md dst_md = plain_md({m(), n()}, type());
        const auto pd = create([&] { return matmul(context(), src_md, wei_md, dst_md); });
        const TensorId src = source(0, src_md, Pass::forward);
        const float bound = step::small_bound(k());
        wei_ = parameter("wei", wei_md, {-bound, bound});
        row(Pass::forward)
            .primitive(pd, {{DNNL_ARG_SRC, src, "src"},
                            {DNNL_ARG_WEIGHTS, wei_, "wei"},
                            {DNNL_ARG_DST, new_value(dst_md), "dst", true}});
    }

    void backward(Pass pass) override {
        const Md diff_dst_md = plain_md({m(), n()}, type());
        if (pass == Pass::backward_data) {
            const Md diff_src_md = plain_md({m(), k()}, type());
            const Md wei_t({n(), k()}, type(), MemoryDims{1, n()});
            const auto pd =
                create([&] { return matmul(context(), diff_dst_md, wei_t, diff_src_md); });
            const TensorId diff_dst = output_gradient(diff_dst_md, pass);
            const TensorId wei = memory().view(wei_, wei_t);
            row(pass).primitive(
                pd, {{DNNL_ARG_SRC, diff_dst, "diff_dst"},
                     {DNNL_ARG_WEIGHTS, wei, "wei"},
                     {DNNL_ARG_DST, new_input_gradient(0, diff_src_md), "diff_src", true}});
        } else if (pass == Pass::backward_weights) {
            const Md diff_wei_md = plain_md({k(), n()}, type());
            const Md src_t({k(), m()}, type(), MemoryDims{1, k()});
            const auto pd =
                create([&] { return matmul(context(), src_t, diff_dst_md, diff_wei_md); });
            const TensorId diff_dst = output_gradient(diff_dst_md, pass);
            const TensorId src =
                memory().view(source(0, plain_md({m(), k()}, type()), pass), src_t);
            row(pass).primitive(
                pd, {{DNNL_ARG_SRC, src, "src"},
                     {DNNL_ARG_WEIGHTS, diff_dst, "diff_dst"},
                     {DNNL_ARG_DST, parameter_gradient("wei", diff_wei_md), "diff_wei", true}});
        } else {
            Operator::backward(pass);
        }
    }

private:
    [[nodiscard]] std::int64_t m() const { return dims().mb; }
    [[nodiscard]] std::int64_t k() const { return dims().ic; }
    [[nodiscard]] std::int64_t n() const { return dims().oc; }

    TensorId wei_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_matmul(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Matmul>(builder, layer);
}

}  // namespace ridge::onednn
