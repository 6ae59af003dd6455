#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// Direct convolution, formats chosen by the library. Weights stay in the format of the forward
/// primitive; backward_data gets a copy when it wants another one, as frameworks do each step.
class Convolution : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md src_any = any_md({dims().mb, dims().ic, dims().ih, dims().iw}, type());
        const Md wei_any = any_md(weight_dims(), type());
        const Md dst_any = any_md({dims().mb, dims().oc, dims().oh, dims().ow}, type());
        const auto pd = create([&] {
            return convolution_forward(context(), src_any, wei_any, bias_md(), dst_any, window());
        });
        forward_ = pd.pd;
        const TensorId src = source(0, forward_.src_desc(), Pass::forward);
        const std::int64_t fan_in = dims().ic / dims().g * dims().kh * dims().kw;
        const float bound = step::he_bound(fan_in);
        wei_ = parameter("wei", forward_.weights_desc(), {-bound, bound});
        std::vector<Argument> arguments{{DNNL_ARG_SRC, src, "src"},
                                        {DNNL_ARG_WEIGHTS, wei_, "wei"}};
        if (layer().bias) {
            const TensorId bias = parameter("bias", bias_md(), {-0.1F, 0.1F});
            arguments.push_back({DNNL_ARG_BIAS, bias, "bias"});
        }
        const TensorId dst = new_value(forward_.dst_desc());
        arguments.push_back({DNNL_ARG_DST, dst, "dst", true});
        row(Pass::forward).primitive(pd, std::move(arguments));
    }

    void backward(Pass pass) override {
        if (pass == Pass::backward_data) return backward_data();
        if (pass == Pass::backward_weights) return backward_weights();
        Operator::backward(pass);
    }

private:
    void backward_data() {
        const auto pd = create([&] {
            return convolution_backward_data(
                context(), any_md(dims_of(forward_.src_desc()), type()),
                any_md(weight_dims(), type()), any_md(dims_of(forward_.dst_desc()), type()),
                window(), forward_);
        });
        const TensorId diff_dst = output_gradient(pd.pd.diff_dst_desc(), Pass::backward_data);
        const TensorId wei =
            builder().in_format(wei_, pd.pd.weights_desc(), layer(), Pass::backward_data, "wei");
        const TensorId diff_src = new_input_gradient(0, pd.pd.diff_src_desc());
        row(Pass::backward_data)
            .primitive(pd, {{DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
                            {DNNL_ARG_WEIGHTS, wei, "wei"},
                            {DNNL_ARG_DIFF_SRC, diff_src, "diff_src", true}});
    }

    void backward_weights() {
        const auto pd = create([&] {
            return convolution_backward_weights(
                context(), any_md(dims_of(forward_.src_desc()), type()),
                any_md(weight_dims(), type()), bias_md(),
                any_md(dims_of(forward_.dst_desc()), type()), window(), forward_);
        });
        const TensorId diff_dst = output_gradient(pd.pd.diff_dst_desc(), Pass::backward_weights);
        const TensorId src = source(0, pd.pd.src_desc(), Pass::backward_weights);
        const TensorId diff_wei = parameter_gradient("wei", pd.pd.diff_weights_desc());
        std::vector<Argument> arguments{{DNNL_ARG_SRC, src, "src"},
                                        {DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
                                        {DNNL_ARG_DIFF_WEIGHTS, diff_wei, "diff_wei", true}};
        if (layer().bias)
            arguments.push_back(
                {DNNL_ARG_DIFF_BIAS, parameter_gradient("bias", bias_md()), "diff_bias", true});
        row(Pass::backward_weights).primitive(pd, std::move(arguments));
    }

    [[nodiscard]] MemoryDims weight_dims() const {
        const Dims& d = dims();
        if (d.g == 1) return {d.oc, d.ic, d.kh, d.kw};
        return {d.g, d.oc / d.g, d.ic / d.g, d.kh, d.kw};
    }
    [[nodiscard]] Md bias_md() const { return layer().bias ? plain_md({dims().oc}, type()) : Md(); }
    [[nodiscard]] Window window() const { return window_of(dims()); }

    ConvolutionForward forward_;
    TensorId wei_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_convolution(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Convolution>(builder, layer);
}

}  // namespace ridge::onednn
