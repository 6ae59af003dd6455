#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// Constants of AlexNet's response normalisation (Krizhevsky et al. 2012, section 3.3) as Caffe
/// scales them: alpha over the window, k = 1.
constexpr float kAlpha = 1e-4F, kBeta = 0.75F, kBase = 1.0F;

class Lrn : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md md = arriving_md(0);
        const auto pd = create([&] { return lrn_forward(context(), md, parameters()); });
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
        const Md md = forward_.src_desc();
        const auto pd =
            create([&] { return lrn_backward(context(), md, md, parameters(), forward_); });
        const TensorId diff_dst = output_gradient(pd.pd.diff_dst_desc(), pass);
        const TensorId src = source(0, md, pass);
        const TensorId diff_src = new_input_gradient(0, pd.pd.diff_src_desc());
        std::vector<Argument> arguments{{DNNL_ARG_SRC, src, "src"},
                                        {DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
                                        {DNNL_ARG_DIFF_SRC, diff_src, "diff_src", true}};
        if (workspace_ != no_tensor) arguments.push_back({DNNL_ARG_WORKSPACE, workspace_, "ws"});
        row(pass).primitive(pd, std::move(arguments));
    }

private:
    [[nodiscard]] LrnParameters parameters() const {
        const auto algorithm = layer().algorithm == Algorithm::lrn_within_channel
                                   ? dnnl::algorithm::lrn_within_channel
                                   : dnnl::algorithm::lrn_across_channels;
        return {algorithm, layer().local_size, kAlpha, kBeta, kBase};
    }

    LrnForward forward_;
    TensorId workspace_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_lrn(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Lrn>(builder, layer);
}

}  // namespace ridge::onednn
