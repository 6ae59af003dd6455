#include <cmath>

#include "collectors/onednn/kinds/operator.hpp"
#include "collectors/step/plain_kernels.hpp"

namespace ridge::onednn {
namespace {

/// Over the channels of each image. With loss, forward ends in the mean cross-entropy against the
/// labels and backward is the gradient of both together, (p - y) / images: kernels of ours.
class Softmax : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md md = layer().loss ? plain_md(matrix(), type()) : arriving_md(0);
        const auto pd = create([&] { return softmax_forward(context(), md, 1); });
        forward_ = pd.pd;
        const TensorId src = source(0, md, Pass::forward);
        dst_ = new_value(forward_.dst_desc());
        Row& forward_row = row(Pass::forward);
        forward_row.primitive(pd, {{DNNL_ARG_SRC, src, "src"}, {DNNL_ARG_DST, dst_, "dst", true}});
        if (!layer().loss) return;
        labels_ = memory().add_labels(matrix()[0], matrix()[1]);
        memory().name(layer().name, "labels", labels_);
        const TensorId loss = memory().add(plain_md({1}, dnnl::memory::data_type::f32));
        memory().name(layer().name, "loss", loss);
        forward_row.plain(
            step::plain_implementation("cross entropy"),
            {{0, labels_, "labels"}, {0, loss, "", true}}, [m = &memory(), loss, s = sizes()] {
                *static_cast<float*>(m->data(loss)) =
                    step::cross_entropy(s.type, m->data(s.dst), labels(*m, s), s.images, s.classes);
            });
    }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        const Md md = forward_.dst_desc();
        if (layer().loss) {
            const TensorId diff_src = new_input_gradient(0, md);
            row(pass).plain(
                step::plain_implementation("cross entropy gradient"),
                {{0, dst_, "dst"}, {0, labels_, "labels"}, {0, diff_src, "diff_src", true}},
                [m = &memory(), diff_src, s = sizes()] {
                    step::cross_entropy_gradient(s.type, m->data(s.dst), labels(*m, s),
                                                 m->data(diff_src), s.images, s.classes);
                });
            return;
        }
        const auto pd = create([&] { return softmax_backward(context(), md, md, 1, forward_); });
        const TensorId diff_dst = output_gradient(md, pass);
        const TensorId diff_src = new_input_gradient(0, md);
        row(pass).primitive(pd, {{DNNL_ARG_DST, dst_, "dst"},
                                 {DNNL_ARG_DIFF_DST, diff_dst, "diff_dst"},
                                 {DNNL_ARG_DIFF_SRC, diff_src, "diff_src", true}});
    }

private:
    struct Sizes {
        DataType type;
        TensorId dst, labels;
        std::size_t images, classes;
    };
    [[nodiscard]] Sizes sizes() const {
        return {layer().dtype, dst_, labels_, static_cast<std::size_t>(matrix()[0]),
                static_cast<std::size_t>(matrix()[1])};
    }
    static const std::int32_t* labels(const Memory& memory, const Sizes& s) {
        return static_cast<const std::int32_t*>(memory.data(s.labels));
    }
    [[nodiscard]] MemoryDims matrix() const {
        return {dims().mb, dims().ic * dims().ih * dims().iw};
    }

    SoftmaxForward forward_;
    TensorId dst_ = no_tensor, labels_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_softmax(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Softmax>(builder, layer);
}

}  // namespace ridge::onednn
