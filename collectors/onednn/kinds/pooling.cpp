#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

dnnl::algorithm to_dnnl(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::avg_include_padding:
            return dnnl::algorithm::pooling_avg_include_padding;
        case Algorithm::avg_exclude_padding:
            return dnnl::algorithm::pooling_avg_exclude_padding;
        default:
            return dnnl::algorithm::pooling_max;
    }
}

/// Works in the format that arrives. Maximum keeps a workspace: which tap won.
class Pooling : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md src_md = arriving_md(0, {dims().mb, dims().ic, dims().ih, dims().iw});
        const Md dst_any = any_md({dims().mb, dims().oc, dims().oh, dims().ow}, type());
        const auto pd = create([&] {
            return pooling_forward(context(), to_dnnl(layer().algorithm), src_md, dst_any,
                                   window_of(dims()));
        });
        forward_ = pd.pd;
        const TensorId src = source(0, forward_.src_desc(), Pass::forward);
        const TensorId dst = new_value(forward_.dst_desc());
        std::vector<Argument> arguments{{DNNL_ARG_SRC, src, "src"},
                                        {DNNL_ARG_DST, dst, "dst", true}};
        if (forward_.workspace_desc().get_size() > 0) {
            workspace_ = memory().add(forward_.workspace_desc());
            memory().name(layer().name, "ws", workspace_);
            arguments.push_back({DNNL_ARG_WORKSPACE, workspace_, "ws", true});
        }
        row(Pass::forward).primitive(pd, std::move(arguments));
    }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        const auto pd = create([&] {
            return pooling_backward(context(), to_dnnl(layer().algorithm), forward_.src_desc(),
                                    forward_.dst_desc(), window_of(dims()), forward_);
        });
        const TensorId diff_dst = output_gradient(pd.pd.diff_dst_desc(), pass);
        const TensorId diff_src = new_input_gradient(0, pd.pd.diff_src_desc());
        std::vector<Argument> arguments{{DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
                                        {DNNL_ARG_DIFF_SRC, diff_src, "diff_src", true}};
        if (workspace_ != no_tensor) arguments.push_back({DNNL_ARG_WORKSPACE, workspace_, "ws"});
        row(pass).primitive(pd, std::move(arguments));
    }

private:
    PoolingForward forward_;
    TensorId workspace_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_pooling(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Pooling>(builder, layer);
}

}  // namespace ridge::onednn
