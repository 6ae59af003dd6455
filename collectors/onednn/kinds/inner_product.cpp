#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// Formats chosen by the library, weights kept in the forward primitive's format. Backward asks
/// with that format too and takes the library's other choice, with reorders of the weights, only
/// when it comes with another kernel: several kernels take weights either way, and would else be
/// fed by copies of the largest tensors of the network.
class InnerProduct : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        src_dims_ = source_dims();
        MemoryDims wei_dims = src_dims_;
        wei_dims[0] = dims().oc;
        const Md wei_any = any_md(wei_dims, type());
        const auto pd = create([&] {
            return inner_product_forward(context(), any_md(src_dims_, type()), wei_any, bias_md(),
                                         any_md({dims().mb, dims().oc}, type()));
        });
        forward_ = pd.pd;
        const TensorId src = source(0, forward_.src_desc(), Pass::forward);
        const float bound = step::small_bound(dims().ic * dims().ih * dims().iw);
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
    /// The descriptor that `make` gives for forward's weights format if its kernel is the one that
    /// the library would choose freely, else the free choice.
    template <class Make>
    auto with_weights(Make make) {
        const Md wei = forward_.weights_desc();
        const auto free = create([&] { return make(any_md(dims_of(wei), type())); });
        try {
            const auto kept = create([&] { return make(wei); });
            const std::string kernel = kept.pd.impl_info_str();
            if (kernel == free.pd.impl_info_str()) return kept;
        } catch (const dnnl::error&) {
            // No kernel takes this format: the free choice it is.
        }
        return free;
    }

    void backward_data() {
        const auto pd = with_weights([&](const Md& wei) {
            return inner_product_backward_data(context(), any_md(src_dims_, type()), wei,
                                               any_md({dims().mb, dims().oc}, type()), forward_);
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
        const auto pd = with_weights([&](const Md& diff_wei) {
            return inner_product_backward_weights(context(), any_md(src_dims_, type()), diff_wei,
                                                  bias_md(), any_md({dims().mb, dims().oc}, type()),
                                                  forward_);
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

    /// As it arrives where that agrees with the layer: an image may be read as such (oneDNN takes
    /// blocked images here) or, when the layer is written with one long ic, as a vector.
    [[nodiscard]] MemoryDims source_dims() const {
        const Dims& d = dims();
        const MemoryDims image{d.mb, d.ic, d.ih, d.iw};
        const MemoryDims arriving = arriving_dims(0);
        if (arriving == image) return image;
        if (d.ih == 1 && d.iw == 1) return {d.mb, d.ic};
        return image;
    }
    [[nodiscard]] Md bias_md() const { return layer().bias ? plain_md({dims().oc}, type()) : Md(); }

    InnerProductForward forward_;
    MemoryDims src_dims_;
    TensorId wei_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_inner_product(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<InnerProduct>(builder, layer);
}

}  // namespace ridge::onednn
