#include <array>

#include "collectors/onednn/kinds/operator.hpp"
#include "collectors/step/plain_kernels.hpp"

namespace ridge::onednn {
namespace {

constexpr float kEpsilon = 1e-5F;
/// Weight of a batch in the running statistics, the usual 0.1.
constexpr float kRunningWeight = 0.1F;

/// Training: statistics of the batch, scale and shift (always f32). The running statistics that
/// inference would use are updated in the forward row by a kernel of ours: the library has none.
class BatchNormalization : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md md = arriving_md(0);
        const auto pd =
            create([&] { return batch_normalization_forward(context(), md, kEpsilon); });
        forward_ = pd.pd;
        const TensorId src = source(0, forward_.src_desc(), Pass::forward);
        const Md channel_md = plain_md({dims().ic}, dnnl::memory::data_type::f32);
        scale_ = parameter("scale", channel_md, {0.5F, 1.5F});
        shift_ = parameter("shift", channel_md, {-0.1F, 0.1F});
        mean_ = statistic("mean", channel_md);
        variance_ = statistic("variance", channel_md);
        const TensorId running_mean = statistic("running_mean", channel_md);
        const TensorId running_variance = statistic("running_variance", channel_md);
        memory().fill(running_variance, {1.0F, 1.0F});
        const TensorId dst = new_value(forward_.dst_desc());
        Row& forward_row = row(Pass::forward);
        forward_row.primitive(pd, {{DNNL_ARG_SRC, src, "src"},
                                   {DNNL_ARG_SCALE, scale_, "scale"},
                                   {DNNL_ARG_SHIFT, shift_, "shift"},
                                   {DNNL_ARG_MEAN, mean_, "mean", true},
                                   {DNNL_ARG_VARIANCE, variance_, "variance", true},
                                   {DNNL_ARG_DST, dst, "dst", true}});
        forward_row.plain(step::plain_implementation("running statistics"), {},
                          [m = &memory(), channels = static_cast<std::size_t>(dims().ic),
                           pairs = std::array{std::pair(running_mean, mean_),
                                              std::pair(running_variance, variance_)}] {
                              for (const auto& [running, batch] : pairs)
                                  step::running_average(static_cast<float*>(m->data(running)),
                                                        static_cast<const float*>(m->data(batch)),
                                                        channels, kRunningWeight);
                          });
    }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        const Md md = forward_.src_desc();
        const auto pd = create(
            [&] { return batch_normalization_backward(context(), md, md, kEpsilon, forward_); });
        const TensorId diff_dst = output_gradient(pd.pd.diff_dst_desc(), pass);
        const TensorId src = source(0, md, pass);
        const TensorId diff_src = new_input_gradient(0, pd.pd.diff_src_desc());
        const Md channel_md = memory().md(scale_);
        row(pass).primitive(
            pd,
            {{DNNL_ARG_SRC, src, "src"},
             {DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
             {DNNL_ARG_SCALE, scale_, "scale"},
             {DNNL_ARG_SHIFT, shift_, "shift"},
             {DNNL_ARG_MEAN, mean_, "mean"},
             {DNNL_ARG_VARIANCE, variance_, "variance"},
             {DNNL_ARG_DIFF_SRC, diff_src, "diff_src", true},
             {DNNL_ARG_DIFF_SCALE, parameter_gradient("scale", channel_md), "diff_scale", true},
             {DNNL_ARG_DIFF_SHIFT, parameter_gradient("shift", channel_md), "diff_shift", true}});
    }

private:
    TensorId statistic(const std::string& role, const Md& md) {
        const TensorId tensor = memory().add(md);
        memory().name(layer().name, role, tensor);
        return tensor;
    }

    BatchNormalizationForward forward_;
    TensorId scale_ = no_tensor, shift_ = no_tensor, mean_ = no_tensor, variance_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_batch_normalization(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<BatchNormalization>(builder, layer);
}

}  // namespace ridge::onednn
