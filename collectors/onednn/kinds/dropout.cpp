#include "collectors/onednn/kinds/operator.hpp"
#include "collectors/step/plain_kernels.hpp"

namespace ridge::onednn {
namespace {

/// Kernels of ours: the library has none. Kept elements are scaled by 1 / (1 - ratio) in training.
///
/// In place the scaling must not pile up when the row is executed again before its input is written
/// anew: then the factor is 1, at the same cost, and the result stays what it was.
class Dropout : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md md = arriving_md(0);
        if (layer().in_place) check_in_place();
        const TensorId src = source(0, md, Pass::forward);
        if (layer().in_place)
            set_value(src);
        else
            new_value(md);
        const TensorId dst = builder().value(layer().name);
        mask_ = memory().add(mask_md(md));
        memory().name(layer().name, "mask", mask_);
        const std::uint32_t seed = memory().next_seed();
        row(Pass::forward)
            .plain(
                step::plain_implementation("dropout"),
                {{0, src, "src"}, {0, dst, "dst", true}, {0, mask_, "mask", true}},
                [m = &memory(), src, dst, mask = mask_, scale = scaling(dst), type = layer().dtype,
                 ratio = static_cast<float>(layer().drop_ratio), seed]() mutable {
                    step::dropout_forward(type, m->data(src), m->data(dst),
                                          static_cast<std::uint8_t*>(m->data(mask)),
                                          m->padded_elements(dst), ratio, scale.next(*m), seed);
                });
    }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        // The mask lies over the activation's memory element by element.
        const Md md = memory().md(builder().value(layer().name));
        const TensorId diff_dst = output_gradient(md, pass);
        const bool in_place = layer().in_place && !builder().shared_gradient(diff_dst);
        if (in_place) send_gradient(0, diff_dst);
        const TensorId diff_src = in_place ? diff_dst : new_input_gradient(0, md);
        row(pass).plain(
            step::plain_implementation("dropout"),
            {{0, diff_dst, "diff_dst"}, {0, mask_, "mask"}, {0, diff_src, "diff_src", true}},
            [m = &memory(), diff_dst, diff_src, mask = mask_,
             scale = in_place ? scaling(diff_dst) : Scaling{full_scale(), no_tensor},
             type = layer().dtype]() mutable {
                step::dropout_backward(type, m->data(diff_dst), m->data(diff_src),
                                       static_cast<const std::uint8_t*>(m->data(mask)),
                                       m->padded_elements(diff_dst), scale.next(*m));
            });
    }

private:
    struct Scaling {
        float full = 1;
        TensorId in_place = no_tensor;  ///< the tensor that is overwritten, if any
        std::uint64_t seen = 0;         ///< its count of writes at the last execution

        float next(Memory& memory) {
            if (in_place == no_tensor) return full;
            const std::uint64_t writes = memory.writes(in_place);
            const bool fresh = writes != seen;
            seen = writes;
            return fresh ? full : 1.0F;
        }
    };
    [[nodiscard]] float full_scale() const {
        return static_cast<float>(1.0 / (1.0 - layer().drop_ratio));
    }
    [[nodiscard]] Scaling scaling(TensorId tensor) const {
        return {full_scale(), layer().in_place ? tensor : no_tensor};
    }
    /// One byte per element of `md`, padding included, in the same order.
    [[nodiscard]] Md mask_md(const Md& md) const {
        const auto elements =
            static_cast<dnnl_dim_t>(md.get_size() / dnnl::memory::data_type_size(type_of(md)));
        return plain_md({elements}, dnnl::memory::data_type::u8);
    }

    TensorId mask_ = no_tensor;
};

}  // namespace

std::unique_ptr<Operator> make_dropout(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Dropout>(builder, layer);
}

}  // namespace ridge::onednn
