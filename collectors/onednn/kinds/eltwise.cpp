#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// ReLU, tanh, logistic; in place where the network says so, forward and backward. In place the
/// source is gone: backward then works from the output. Executing either again changes nothing:
/// ReLU of its own output is that output (tanh and logistic are overwritten anew by the layer
/// before them in every step, and shrink towards a bounded value when repeated alone).
class Eltwise : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md md = arriving_md(0);
        const auto pd = create([&] { return eltwise_forward(context(), algorithm(), md); });
        forward_ = pd.pd;
        if (layer().in_place) check_in_place();
        const TensorId src = source(0, md, Pass::forward);
        if (layer().in_place)
            set_value(src);
        else
            new_value(md);
        dst_ = builder().value(layer().name);
        row(Pass::forward)
            .primitive(pd, {{DNNL_ARG_SRC, src, "src"}, {DNNL_ARG_DST, dst_, "dst", true}});
    }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        const Md md = forward_.dst_desc();
        const auto algorithm = this->algorithm();
        const auto pd =
            create([&] { return eltwise_backward(context(), algorithm, md, md, forward_); });
        const TensorId diff_dst = output_gradient(md, pass);
        TensorId diff_src = no_tensor;
        if (layer().in_place && !builder().shared_gradient(diff_dst)) {
            send_gradient(0, diff_dst);
            diff_src = diff_dst;
        } else {
            diff_src = new_input_gradient(0, md);
        }
        const Argument data = layer().in_place ? Argument{DNNL_ARG_DST, dst_, "dst"}
                                               : Argument{DNNL_ARG_SRC, source(0, md, pass), "src"};
        row(pass).primitive(pd, {data,
                                 {DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
                                 {DNNL_ARG_DIFF_SRC, diff_src, "diff_src", true}});
    }

private:
    [[nodiscard]] dnnl::algorithm algorithm() const {
        // Where backward works from the output, the forward primitive is told so too.
        switch (layer().algorithm) {
            case Algorithm::tanh:
                return layer().in_place ? dnnl::algorithm::eltwise_tanh_use_dst_for_bwd
                                        : dnnl::algorithm::eltwise_tanh;
            case Algorithm::logistic:
                return layer().in_place ? dnnl::algorithm::eltwise_logistic_use_dst_for_bwd
                                        : dnnl::algorithm::eltwise_logistic;
            default:
                return layer().in_place ? dnnl::algorithm::eltwise_relu_use_dst_for_bwd
                                        : dnnl::algorithm::eltwise_relu;
        }
    }

    EltwiseForward forward_;
    TensorId dst_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_eltwise(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Eltwise>(builder, layer);
}

}  // namespace ridge::onednn
