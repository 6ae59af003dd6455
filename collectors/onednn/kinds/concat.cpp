#include <numeric>

#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// Along channels. Backward copies each input's part of the gradient out of the whole.
class Concat : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        std::vector<Md> srcs;
        for (std::size_t i = 0; i < inputs(); ++i) srcs.push_back(arriving_md(i));
        MemoryDims whole = dims_of(srcs.front());
        whole[1] = dims().ic;
        const auto pd = create([&] { return concat(context(), any_md(whole, type()), 1, srcs); });
        std::vector<Argument> arguments;
        for (std::size_t i = 0; i < inputs(); ++i)
            arguments.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i),
                                 source(i, srcs[i], Pass::forward), numbered("src", i)});
        arguments.push_back({DNNL_ARG_DST, new_value(pd.pd.dst_desc()), "dst", true});
        row(Pass::forward).primitive(pd, std::move(arguments));
        srcs_ = std::move(srcs);
        dst_ = pd.pd.dst_desc();
    }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        const Md whole = divisible(arriving_gradient_md(dst_));
        const TensorId diff_dst = output_gradient(whole, pass);
        Row* target = nullptr;
        std::int64_t channel = 0;
        for (std::size_t i = 0; i < srcs_.size(); ++i) {
            const Md part = part_of(whole, i, channel);
            channel += dims_of(srcs_[i])[1];
            const auto pd = create([&] {
                return dnnl::reorder::primitive_desc(context().engine, part, context().engine,
                                                     srcs_[i], context().attr);
            });
            if (target == nullptr) target = &row(pass);
            const TensorId from = memory().view(diff_dst, part);
            target->primitive(pd, {{DNNL_ARG_FROM, from, i == 0 ? "diff_dst" : ""},
                                   {DNNL_ARG_TO, new_input_gradient(i, srcs_[i]),
                                    numbered("diff_src", i), true}});
        }
    }

private:
    [[nodiscard]] Md part_of(const Md& whole, std::size_t i, std::int64_t channel) const {
        MemoryDims offsets(dims_of(whole).size(), 0);
        offsets[1] = channel;
        return whole.submemory_desc(dims_of(srcs_[i]), offsets);
    }
    /// `md` when every part of it starts and ends on whole blocks of channels, else plain.
    [[nodiscard]] Md divisible(const Md& md) const {
        const Layout layout = layout_of(md);
        std::int64_t block = 1;
        for (std::size_t b = 0; b < layout.inner_blocks.size(); ++b)
            if (layout.inner_indices[b] == 1) block *= layout.inner_blocks[b];
        for (const Md& src : srcs_)
            if (dims_of(src)[1] % block != 0) return plain_md(layout.dims, type());
        return md;
    }

    std::vector<Md> srcs_;
    Md dst_;
};

}  // namespace

std::unique_ptr<Operator> make_concat(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Concat>(builder, layer);
}

}  // namespace ridge::onednn
